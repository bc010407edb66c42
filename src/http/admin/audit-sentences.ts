import type { AuditRow } from '#src/audit/audit-row.ts';
import { EVENT_TYPES, type EventType } from '#src/audit/event-types.ts';
import { countOf } from '#src/http/web/markup.ts';
import { sentenceOfRefusal } from '#src/sso/login-refused.ts';

type Facts = Pick<AuditRow, 'metadata' | 'provider'>;

/** What an event is called where one is chosen. */
export const EVENT_LABELS: Record<EventType, string> = {
  login: 'Sign-in',
  login_failed: 'Failed sign-in',
  logout: 'Sign-out',
  logout_idp: 'Sign-out at the provider too',
  link: 'Account connected',
  unlink: 'Account disconnected',
  jit_account_created: 'Account made by a first sign-in',
  identity_unblocked: 'Identity unblocked',
  provider_created: 'Identity provider added',
  provider_updated: 'Identity provider changed',
  provider_enabled: 'Identity provider enabled',
  provider_disabled: 'Identity provider disabled',
  provider_deleted: 'Identity provider deleted',
  user_invited: 'Invitation',
  invitation_withdrawn: 'Invitation withdrawn',
  user_created: 'User created',
  user_suspended: 'User suspended',
  user_reactivated: 'User reactivated',
  user_deleted: 'User deleted',
  role_changed: 'Role changed',
  password_changed: 'Password changed',
  password_reset_requested: 'Password reset requested',
  api_key_created: 'API key created',
  api_key_revoked: 'API key revoked',
  audit_exported: 'Audit log exported',
  family_exported: 'Data of a family exported',
  audit_archived: 'Audit log archived',
  audit_pruned: 'Audit archives removed',
  audit_restored: 'Audit log restored',
  backup_created: 'Backup made',
  backup_restored: 'Backup restored',
};

/** What happened, for people who do not know the types. */
const SENTENCES: Record<EventType, (facts: Facts) => string> = {
  login: (facts) => `Signed in ${way(facts)}`,
  login_failed: (facts) => {
    const what =
      facts.metadata.during === 'password_change' ? 'change the password' : `sign in ${way(facts)}`;
    return `Could not ${what}${because(facts)}`;
  },
  logout: ({ metadata, provider }) => {
    if (metadata.reason === 'backchannel') return `Was signed out by ${said(provider)}`;
    if (metadata.reason !== 'revoked') return 'Signed out';
    return typeof metadata.sessions === 'number'
      ? `Was signed out of ${countOf(metadata.sessions, 'session')}`
      : 'Was signed out of a session';
  },
  logout_idp: ({ provider }) => `Signed out here and at ${said(provider)}`,
  link: ({ provider }) => `Connected the account at ${said(provider)}`,
  unlink: ({ provider }) => `Disconnected the account at ${said(provider)}`,
  jit_account_created: ({ provider, metadata }) =>
    `Was created as ${said(metadata.role)} by a first sign-in through ${said(provider)}`,
  identity_unblocked: ({ provider }) => `May sign in through ${said(provider)} again`,
  provider_created: ({ provider }) => `Added the identity provider ${said(provider)}`,
  provider_updated: ({ provider }) => `Changed the identity provider ${said(provider)}`,
  provider_enabled: ({ provider }) => `Enabled the identity provider ${said(provider)}`,
  provider_disabled: ({ provider }) => `Disabled the identity provider ${said(provider)}`,
  provider_deleted: ({ provider }) => `Deleted the identity provider ${said(provider)}`,
  user_invited: ({ metadata }) => `Invited ${said(metadata.email)} as ${said(metadata.role)}`,
  invitation_withdrawn: ({ metadata }) => `Withdrew the invitation of ${said(metadata.email)}`,
  user_created: ({ metadata }) => `Was created as ${said(metadata.role)}`,
  user_suspended: () => 'Was suspended',
  user_reactivated: () => 'Was reactivated',
  user_deleted: ({ metadata }) =>
    metadata.took_family === true ? 'Was deleted, and the family with its ledger' : 'Was deleted',
  role_changed: ({ metadata }) => `Role changed from ${said(metadata.old)} to ${said(metadata.new)}`,
  password_changed: ({ metadata }) =>
    metadata.via === 'reset' ? 'Password changed through a reset link' : 'Password changed',
  password_reset_requested: () => 'A link to reset the password was made',
  api_key_created: ({ metadata }) => `API key ${said(metadata.name)} was created`,
  audit_exported: ({ metadata }) => `The audit log was downloaded as ${said(metadata.format)}`,
  family_exported: ({ metadata }) => `The data of the family ${said(metadata.family)} was exported`,
  audit_archived: ({ metadata }) =>
    `Archived ${said(metadata.archived_rows)} events of the audit log, removed ${said(metadata.removed_rows)} from the database (${said(metadata.tier)})`,
  audit_pruned: ({ metadata }) =>
    `Removed ${said(metadata.days)} archives of the audit log that were past their time`,
  audit_restored: ({ metadata }) =>
    `Brought back ${said(metadata.rows)} events from archives of the audit log`,
  backup_created: () => 'Made a backup',
  backup_restored: ({ metadata }) => `Restored the backup of ${said(metadata.backup_created_at)}`,
  api_key_revoked: ({ metadata }) => `API key ${said(metadata.name)} was revoked`,
};

const REASONS: Readonly<Record<string, string>> = {
  wrong_password: 'the password was wrong',
  unknown_user: 'nobody has this email',
  no_password: 'the user has no password',
  suspended: 'the user is suspended',
  throttled: 'there were too many attempts',
  changed_meanwhile: 'the user was changed at the same moment',
  local_login_disabled: 'signing in with a password is turned off',
};

/** A type that this version does not know is shown as it is. */
export function sentenceOf({ eventType, ...facts }: AuditRow): string {
  const known = EVENT_TYPES.find((type) => type === eventType);
  return known ? SENTENCES[known](facts) : eventType;
}

function way({ metadata, provider }: Facts): string {
  if (provider !== null) return `through ${provider}`;
  return metadata.method === 'local' ? 'with a password' : '';
}

function because({ metadata: { reason } }: Facts): string {
  if (typeof reason !== 'string') return '';
  const told = sentenceOfRefusal(reason);
  if (told !== undefined) return `. ${told}`;
  return `: ${Object.hasOwn(REASONS, reason) ? REASONS[reason] : reason}`;
}

function said(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}
