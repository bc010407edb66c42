import { readVerified } from '#src/sso/connectors/read-oidc-identity.ts';
import { readEmail } from '#src/sso/connectors/storable.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';

interface ListedEmail {
  email: string;
  emailVerified: boolean | null;
  primary: boolean;
}

/**
 * The primary address of a list as GitHub (`email`, `primary`, `verified`) and Bitbucket (`values` of `email`,
 * `is_primary`, `is_confirmed`) send it; without a primary one the first that is verified.
 */
export function chooseEmail(answer: unknown): { email: string | null; emailVerified: boolean | null } {
  const list: unknown = isRecord(answer) ? answer.values : answer;
  const emails = (Array.isArray(list) ? list : []).flatMap(readListed);
  const chosen = emails.find(({ primary }) => primary) ?? emails.find(({ emailVerified }) => emailVerified);
  return { email: chosen?.email ?? null, emailVerified: chosen?.emailVerified ?? null };
}

function readListed(item: unknown): ListedEmail[] {
  const email = isRecord(item) ? readEmail(item.email) : null;
  if (email === null || !isRecord(item)) return [];
  return [
    {
      email,
      emailVerified: readVerified(item.verified ?? item.is_confirmed),
      primary: (item.primary ?? item.is_primary) === true,
    },
  ];
}
