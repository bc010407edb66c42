import { readFile, stat } from 'node:fs/promises';
import { type DataDir, isRoot, type Owner } from '#src/embedded/data-dir.ts';
import { findClosedPath } from '#src/embedded/find-closed-path.ts';
import { AppError } from '#src/kernel/errors.ts';

/** How to run a program of PostgreSQL: as whom, and through what. */
export interface Launcher {
  /** Set when the programs run as another user than we do. */
  owner: Owner | undefined;
  command: (program: string, args: string[]) => { file: string; args: string[]; identity: Partial<Owner> };
  hint: string;
}

interface Account extends Owner {
  name: string;
}

const AS_OURSELVES: Launcher = {
  owner: undefined,
  command: (file, args) => ({ file, args, identity: {} }),
  hint: 'Correct what the message names, or set DATABASE_URL to use another PostgreSQL.',
};

// PostgreSQL looks for its programs with access(2), which forgets an ordinary user's capabilities without the secure bit.
const KEEP_PASSING = [
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
  '--securebits=+no_setuid_fixup',
];

/**
 * PostgreSQL refuses to run as root, so root hands it to an ordinary account. Where a folder on the way is closed to that
 * account (a checkout under /root), setpriv lets it keep the one capability to pass, so that nothing need be opened or moved.
 */
export async function chooseLauncher(dataDir: DataDir, programs: string[]): Promise<Launcher> {
  if (!isRoot()) return AS_OURSELVES;
  const account = await chooseAccount(dataDir);
  const { uid, gid } = account;
  const closed = await findClosedPath([dataDir.path, ...programs], account);
  if (closed === undefined) {
    return {
      ...AS_OURSELVES,
      owner: { uid, gid },
      command: (file, args) => ({ file, args, identity: { uid, gid } }),
    };
  }
  const setpriv = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    ...KEEP_PASSING,
    '--no-new-privs',
    '--',
  ];
  return {
    owner: { uid, gid },
    command: (file, args) => ({ file: 'setpriv', args: [...setpriv, file, ...args], identity: {} }),
    hint:
      `PostgreSQL runs as user ${account.name}, who may not enter ${closed}; passing needs setpriv (util-linux) and the ` +
      'capability DAC_OVERRIDE. Else run as an ordinary user, or move DATA_DIR and the checkout where that user may enter.',
  };
}

async function chooseAccount(dataDir: DataDir): Promise<Account> {
  const accounts = await readAccounts();
  const existing = await stat(dataDir.pgData).catch(() => undefined);
  // The data's owner stays its owner, so that a server that does not run as root can go on using it.
  for (const { uid, gid } of existing ? [existing] : [dataDir.owner]) {
    const name = accounts.find((account) => account.uid === uid)?.name;
    // initdb looks its account up; a cluster that exists does not need the name.
    if (uid !== 0 && (existing || name)) return { name: name ?? String(uid), uid, gid };
  }
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (account) return account;
  }
  throw new AppError(
    'configuration_invalid',
    'PostgreSQL may not run as root, and there is no user postgres or nobody',
    {
      hint: 'Run as an ordinary user, or set DATABASE_URL to use another PostgreSQL.',
    },
  );
}

async function readAccounts(): Promise<Account[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}
