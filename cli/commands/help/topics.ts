import { CLI_VARIABLES } from '#cli/environment.ts';
import { EXIT_CODES } from '#cli/errors.ts';
import { DOCUMENT_FORMATS, LIST_FORMATS } from '#cli/formats.ts';

type Line = readonly [name: string, meaning: string];

/** One table of a topic, and what there is to say below it. */
export interface Section {
  heading?: string;
  /** What JSON calls the table. */
  key: string;
  lines: readonly Line[];
  notes?: readonly string[];
}

interface Topic {
  summary: string;
  sections: () => Promise<readonly Section[]>;
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: {
    summary: 'every environment variable',
    sections: async () => {
      const { SETTINGS } = await import('#config/settings.ts');
      const settings = Object.entries(SETTINGS).map(([name, setting]): Line => {
        const file = 'secret' in setting ? `; or ${name}_FILE names a file that holds it` : '';
        return [name, `${setting.about}${file}`];
      });
      return [
        { heading: 'Settings of server and financectl:', key: 'settings', lines: settings },
        {
          heading: 'financectl only:',
          key: 'financectl',
          lines: Object.entries(CLI_VARIABLES),
          notes: ABOUT_FILES,
        },
      ];
    },
  },
  'exit-codes': {
    summary: 'what the exit codes mean',
    sections: async () => [{ key: 'exit_codes', lines: Object.entries(EXIT_CODES) }],
  },
  formats: {
    summary: 'how results can be written',
    sections: async () => [
      { heading: 'Lists take --format:', key: 'lists', lines: Object.entries(LIST_FORMATS) },
      {
        heading: 'Every other command takes --format:',
        key: 'documents',
        lines: Object.entries(DOCUMENT_FORMATS),
        notes: ABOUT_FORMATS,
      },
    ],
  },
  roles: {
    summary: 'what users may do',
    sections: async () => {
      const { ROLES } = await import('#src/users/role.ts');
      return [{ key: 'roles', lines: ROLES.map((role): Line => [role, ROLE_MEANINGS[role]]) }];
    },
  },
};

const ROLE_MEANINGS = {
  member: "uses the family's ledger",
  admin: 'also administers the family',
  super_admin: 'also administers the whole instance; the first user is one',
} as const;

const ABOUT_FILES = [
  'Variables may also stand in a file, as NAME=value lines: the one that --config names, of financectl as of the server, else .env in the checkout, where there is one. No other folder is looked into.',
  "What a flag says wins over a variable of the environment, even one that is set to nothing; that over the file; and the file over the default. 'financectl config show' tells where each value comes from.",
  'The file is taken for the settings, for FINANCECTL_ACTOR, and for what the file of identity providers refers to. As it may hold secrets, only its owner should be able to read it.',
];

const ABOUT_FORMATS = [
  'Every command has --json: one document on stdout, keys in snake_case, times in ISO 8601 UTC. A list has the same keys in JSON, NDJSON and YAML; CSV has one column for each value that is no list or object.',
  'Keys are only ever added. With --json an error is JSON too, on stderr: {"error", "message", "hint"}.',
  'Results go to stdout, everything else to stderr. -o FILE writes the result to a new file instead.',
  'Amounts: money that leaves an account is positive; *_cents are whole minor units of the currency.',
  'import --format is the format of the statement, and providers export and audit export have formats of their own.',
];
