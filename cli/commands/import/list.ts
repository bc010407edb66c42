import type { Command } from 'commander';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { Import } from '#src/imports/import.entity.ts';

interface ListOptions extends FamilyOption {
  header: boolean;
}

type Row = Import & { account: string | undefined };

const COLUMNS: Column<Row>[] = [
  { key: 'file_name', header: 'FILE', value: ({ fileName }) => fileName },
  { key: 'account', value: ({ account }) => account },
  { key: 'account_id', value: ({ accountId }) => accountId, detail: true },
  { key: 'source', value: ({ source }) => source },
  { key: 'imported', value: ({ importedCount }) => importedCount, align: 'right' },
  { key: 'duplicates', value: ({ duplicateCount }) => duplicateCount, align: 'right' },
  { key: 'rejected', value: ({ rejectedCount }) => rejectedCount, align: 'right' },
  {
    key: 'created_at',
    header: 'CREATED',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
  {
    key: 'undone_at',
    header: 'UNDONE',
    value: ({ undoneAt }) => iso(undoneAt ?? null),
    text: ({ undoneAt }) => shortTime(undoneAt ?? null),
  },
  { key: 'id', value: ({ id }) => id, whole: true },
];

export function list(imports: Command, host: Host): void {
  listOptions(familyOption(imports.command('list')))
    .alias('ls')
    .summary('show what came in, newest first')
    .description('Shows every import of a family, newest first, undone ones included.')
    .addHelpText('after', examples(['import list', 'import list --json'], 'financectl import undo'))
    // `import` itself has --family too, and takes it from here.
    .action((_, command: Command) => runList(host, command.optsWithGlobals<ListOptions>()));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  const [{ listImports }, { listAccounts }] = await Promise.all([
    import('#src/imports/list-imports.ts'),
    import('#src/ledger/list-accounts.ts'),
  ]);
  const rows = await host.read(async (work) => {
    const familyId = await chooseFamily(work, options);
    const names = new Map((await listAccounts(work, { familyId })).map(({ id, name }) => [id, name]));
    const found = await listImports(work, { familyId });
    return found.map((each): Row => Object.assign(each, { account: names.get(each.accountId) }));
  });
  const empty = 'Nothing was imported yet. Try: financectl import FILE --account ACCOUNT';
  await printList(host, options, { rows, columns: COLUMNS, empty });
}
