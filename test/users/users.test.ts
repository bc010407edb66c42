import { argon2Sync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createFamily } from '#src/ledger/create-family.ts';
import { createUser, type NewUser } from '#src/users/create-user.ts';
import { findUser } from '#src/users/find-user.ts';
import { listUsers } from '#src/users/list-users.ts';
import { hashPassword } from '#src/users/password.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

async function givenFamily() {
  const { id: familyId } = await harness.perform((work) =>
    createFamily(work, { name: 'Smith', currency: 'eur' }),
  );
  return {
    create: (user: Partial<NewUser> = {}) =>
      harness.perform((work) => createUser(work, { familyId, email: 'ada@example.com', ...user })),
  };
}

describe('a new user', () => {
  test('is a super admin when it is the first of all, and a member after that', async () => {
    const { create } = await givenFamily();

    expect((await create()).role).toBe('super_admin');
    expect((await create({ email: 'bob@example.com' })).role).toBe('member');
    expect((await create({ email: 'eve@example.com', role: 'admin' })).role).toBe('admin');
  });

  test('has an address in lower case, which nobody else has in any case', async () => {
    const { create } = await givenFamily();

    expect((await create({ email: ' Ada@Example.COM ' })).email).toBe('ada@example.com');
    await expect(create({ email: 'ADA@example.com' })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  test('has the domain in ASCII, and is found however it is written', async () => {
    const { create } = await givenFamily();

    expect((await create({ email: 'ada@B\u00fccher.example' })).email).toBe('ada@xn--bcher-kva.example');
    await expect(create({ email: 'ada@xn--bcher-kva.example' })).rejects.toThrow('there is already a user');
    const found = await harness.perform((work) => findUser(work, 'ADA@b\u00fccher.example'));
    expect(found.email).toBe('ada@xn--bcher-kva.example');
  });

  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'a b@example.com',
    'ada@ex@ample.com',
    `${'a'.repeat(250)}@x.com`,
  ])('cannot have the address %j', async (email) => {
    const { create } = await givenFamily();

    await expect(create({ email })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  test('needs a role there is', async () => {
    const { create } = await givenFamily();

    await expect(create({ role: 'root' })).rejects.toThrow('member, admin, super_admin');
  });

  test('is found by address in any case and by id, and listed without the password', async () => {
    const { create } = await givenFamily();
    const { id } = await create({ password: 'correct horse battery staple', firstName: 'Ada' });

    expect((await harness.perform((work) => findUser(work, 'ADA@example.com'))).id).toBe(id);
    expect((await harness.perform((work) => findUser(work, id))).email).toBe('ada@example.com');
    await expect(harness.perform((work) => findUser(work, 'nobody@example.com'))).rejects.toMatchObject({
      code: 'not_found',
    });
    const everybody = await harness.perform((work) => listUsers(work, { page: 1, perPage: 9 }));
    expect(everybody.items).toHaveLength(1);
    expect(JSON.stringify(everybody)).not.toContain('argon2id');
  });
});

describe('a password', () => {
  test('is kept as argon2id with a salt of its own', async () => {
    const [first, second] = [
      await hashPassword('correct horse battery'),
      await hashPassword('correct horse battery'),
    ];
    expect(first).not.toBe(second);

    const [, name, version, cost, salt = '', tag = ''] = first.split('$');
    expect([name, version, cost]).toEqual(['argon2id', 'v=19', 'm=19456,t=2,p=1']);
    const again = argon2Sync('argon2id', {
      message: 'correct horse battery',
      nonce: Buffer.from(salt, 'base64'),
      tagLength: 32,
      memory: 19_456,
      passes: 2,
      parallelism: 1,
    });
    expect(again.toString('base64').replaceAll('=', '')).toBe(tag);
  });

  test.each(['', 'short', 'x'.repeat(11), 'x'.repeat(257)])(
    'of a wrong length is refused',
    async (password) => {
      await expect(hashPassword(password)).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );
});
