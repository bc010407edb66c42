/** Accepted under ID tokens, signed user info and logout tokens: asymmetric ones only, never `none` nor HS256. */
export const SIGNATURE_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** Seconds that our clock and a provider's may differ. */
export const CLOCK_TOLERANCE = 60;
