import { describe, expect, test } from 'vitest';
import { findAccount } from '#src/ledger/find-account.ts';
import { findFamily } from '#src/ledger/find-family.ts';
import { listAccounts } from '#src/ledger/list-accounts.ts';
import { type AccountChanges, updateAccount } from '#src/ledger/update-account.ts';
import { updateFamily } from '#src/ledger/update-family.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();

async function givenChecking() {
  const { familyId } = await givenHousehold(harness, { currency: 'EUR' });
  const account = await givenAccount(harness, { familyId, name: 'Checking' });
  return {
    familyId,
    account,
    update: (changes: Partial<AccountChanges>) =>
      harness.perform((work) => updateAccount(work, { familyId, account: 'Checking', ...changes })),
  };
}

describe('an account', () => {
  test('is active and in the currency of its family, if nothing else is said', async () => {
    const { account } = await givenChecking();

    expect(account).toMatchObject({ status: 'active', currency: 'EUR', accountType: 'depository' });
  });

  test.each([
    ['a name that is taken', { name: ' Checking ' }],
    ['no name', { name: ' ' }],
    ['too long a name', { name: 'x'.repeat(201) }],
    ['a type there is not', { accountType: 'piggy_bank' }],
    ['a currency there is not', { currency: 'EURO' }],
    ['a status that comes later', { status: 'disabled' }],
  ])('is not created with %s', async (_, wrong) => {
    const { familyId } = await givenChecking();

    await expect(givenAccount(harness, { familyId, ...wrong })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  test('may have a name of 200 characters, and that of an account elsewhere', async () => {
    const { familyId } = await givenHousehold(harness);
    await givenChecking();

    await givenAccount(harness, { familyId, name: 'x'.repeat(200) });
    await givenAccount(harness, { familyId, name: 'Checking', currency: 'chf' });

    const accounts = await harness.perform((work) => listAccounts(work, { familyId }));
    expect(accounts.map(({ name, currency }) => [name.slice(0, 8), currency])).toEqual([
      ['Checking', 'CHF'],
      ['xxxxxxxx', 'USD'],
    ]);
  });

  test('is found by name or by id, within its family only', async () => {
    const { familyId, account } = await givenChecking();
    const { familyId: elsewhere } = await givenHousehold(harness);
    const findIn = (family: string, reference: string) =>
      harness.perform((work) => findAccount(work, { familyId: family, account: reference }));

    expect((await findIn(familyId, 'Checking')).id).toBe(account.id);
    expect((await findIn(familyId, account.id.toUpperCase())).id).toBe(account.id);
    await expect(findIn(elsewhere, account.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('changes name and type, and keeps its own name', async () => {
    const { update } = await givenChecking();

    expect(await update({ name: 'Checking', accountType: 'loan' })).toMatchObject({ accountType: 'loan' });
    expect(await update({ name: 'Current' })).toMatchObject({ name: 'Current', accountType: 'loan' });
  });

  // Decisions: account status.
  test.each([
    ['draft', 'active', true],
    ['draft', 'disabled', true],
    ['draft', 'pending_deletion', true],
    ['active', 'active', false],
    ['active', 'disabled', true],
    ['active', 'pending_deletion', true],
    ['disabled', 'active', true],
    ['disabled', 'disabled', false],
    ['disabled', 'pending_deletion', true],
    ['pending_deletion', 'active', false],
    ['pending_deletion', 'disabled', false],
    ['pending_deletion', 'pending_deletion', false],
  ] as const)('that is %s becomes %s: %s', async (from, to, allowed) => {
    const { account, update } = await givenChecking();
    await harness.query('update accounts set status = $1 where id = $2', [from, account.id]);

    const outcome = await update({ status: to }).then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    );

    expect(outcome).toBe(allowed ? to : 'conflict');
  });
});

const find = (reference?: string) => harness.perform((work) => findFamily(work, reference));

describe('a family', () => {
  test('needs no name while it is the only one', async () => {
    await expect(find()).rejects.toMatchObject({ code: 'not_found' });
    const { familyId } = await givenHousehold(harness);
    expect((await find()).id).toBe(familyId);

    await givenHousehold(harness, { name: 'Jones' });
    await expect(find()).rejects.toMatchObject({ code: 'validation_failed' });
    expect((await find('Smith')).id).toBe(familyId);
    expect((await find(familyId)).name).toBe('Smith');
  });

  test('needs its id when another has its name', async () => {
    const { familyId } = await givenHousehold(harness);
    await givenHousehold(harness);

    await expect(find('Smith')).rejects.toMatchObject({ code: 'validation_failed' });
    expect((await find(familyId)).id).toBe(familyId);
    await expect(find('Jones')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('changes what it is told to and nothing else', async () => {
    const { familyId } = await givenHousehold(harness);
    const update = (changes: object) =>
      harness.perform((work) => updateFamily(work, { family: familyId, ...changes }));

    expect(await update({ name: 'Jones' })).toMatchObject({ name: 'Jones', currency: 'USD' });
    expect(await update({ currency: ' jpy ' })).toMatchObject({ name: 'Jones', currency: 'JPY' });
    expect(await update({ transferMatching: false })).toMatchObject({
      currency: 'JPY',
      transferMatching: false,
    });
    await expect(update({ currency: 'yen' })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});
