/** SQL over `api_keys` joined with `users`: the key is neither revoked nor expired, and its owner may come in. */
export const KEY_IN_FORCE = `api_keys.revoked_at is null
    and (api_keys.expires_at is null or api_keys.expires_at > now())
    and users.suspended_at is null`;
