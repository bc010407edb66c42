import { CLI_VARIABLES } from '#cli/environment.ts';
import { EXIT_CODES } from '#cli/errors.ts';
import { LIST_FORMATS } from '#cli/render.ts';

interface Topic {
  summary: string;
  text: () => Promise<string>;
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: {
    summary: 'every environment variable',
    text: async () => {
      const { SETTINGS } = await import('#config/settings.ts');
      const settings = Object.entries(SETTINGS).map(([name, setting]): Line => {
        const file = 'secret' in setting ? `; or ${name}_FILE names a file that holds it` : '';
        return [name, `${setting.about}${file}`];
      });
      return `Settings of server and financectl:\n${aligned(settings)}\n\nfinancectl only:\n${aligned(Object.entries(CLI_VARIABLES))}`;
    },
  },
  'exit-codes': {
    summary: 'what the exit codes mean',
    text: async () => aligned(Object.entries(EXIT_CODES)),
  },
  formats: {
    summary: 'how results can be written',
    text: async () =>
      `Lists take --format:\n${aligned(Object.entries(LIST_FORMATS))}\n\n${MORE_ABOUT_FORMATS}`,
  },
  roles: {
    summary: 'what users may do',
    text: async () => {
      const { ROLES } = await import('#src/users/role.ts');
      return aligned(ROLES.map((role): Line => [role, ROLE_MEANINGS[role]]));
    },
  },
};

const ROLE_MEANINGS = {
  member: "uses the family's ledger",
  admin: 'also administers the family',
  super_admin: 'also administers the whole instance; the first user is one',
} as const;

const MORE_ABOUT_FORMATS = `Every command has --json: one document on stdout, keys in snake_case, times in ISO 8601 UTC.
Errors are then JSON on stderr: {"error", "message", "hint"}.
Results go to stdout, everything else to stderr. -o FILE writes the result to a new file instead.
Amounts: money that leaves an account is positive; *_cents are whole minor units of the currency.`;

type Line = [name: string, meaning: string];

function aligned(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`).join('\n');
}
