import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useChromium } from '#test/browser/support/chromium.ts';
import { faultsOf } from '#test/browser/support/faults.ts';
import { enterAs } from '#test/browser/support/people.ts';
import { serveSite } from '#test/browser/support/serve.ts';
import { givenPerson } from '#test/http/people.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { samlFixture } from '#test/sso/given-metadata.ts';
import { givenProvider, SAML } from '#test/sso/given-provider.ts';
import { type FakeProvider, startFakeProvider } from '#test/sso/support/fake-provider.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });
const chromium = useChromium();
let fake: FakeProvider;

beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

const LIST = '/admin/sso_providers';

async function givenCast(): Promise<{ root: { email: string }; ada: string }> {
  const root = await givenPerson(harness, { role: 'super_admin', email: 'root@example.com' });
  const ada = await givenPerson(harness, { email: 'ada@example.com', password: null });
  const mappings = [
    { group: 'CN=Finance,OU=Groups', role: 'admin' },
    { group: 'Everybody', role: 'member' },
  ];
  await givenProvider(harness, { issuer: fake.issuer, role_mapping: { mappings } });
  await givenProvider(harness, { name: 'off', enabled: false });
  await givenProvider(harness, {
    ...SAML,
    issuer: undefined,
    client_id: undefined,
    client_secret: undefined,
  });
  await givenIdentity(harness, { userId: ada.id, subject: '00u1abcd', groups: ['Everybody'] });
  await harness.query(`insert into blocked_identities values ('okta', '00u2efgh', 'eve@example.com', now())`);
  return { root, ada: ada.id };
}

const press = (name: string) => async (page: Page) => {
  const answered = page.waitForEvent('load');
  await page.getByRole('button', { name, exact: true }).click();
  await answered;
};

interface Sight {
  name: string;
  heading: string | RegExp;
  path: string;
  doing?: (page: Page) => Promise<unknown>;
}

const SIGHTS: Sight[] = [
  { name: 'all providers', heading: 'Identity providers', path: LIST },
  { name: 'the first step', heading: 'Add an identity provider', path: `${LIST}/new` },
  {
    name: 'a first step that is refused',
    heading: 'Add an identity provider',
    path: `${LIST}/new?strategy=oauth2&name=Not+a+name`,
  },
  { name: 'the second step', heading: 'Add an identity provider', path: `${LIST}/new?preset=okta&name=acme` },
  {
    name: 'a second step that is refused',
    heading: 'Add an identity provider',
    path: `${LIST}/new?strategy=oauth2&name=acme`,
    doing: async (page) => {
      for (const label of ['Authorization URL', 'Token URL', 'User info URL', 'Client ID'])
        await page.getByLabel(label).fill('ftp://nowhere');
      await page.getByLabel('Other rules').fill('{');
      await press('Add the provider')(page);
    },
  },
  { name: 'settings', heading: 'Identity provider okta', path: `${LIST}/okta/edit?notice=provider_saved` },
  { name: 'settings of SAML', heading: 'Identity provider adfs', path: `${LIST}/adfs/edit` },
  {
    name: 'what is in use of SAML, and a key of ours',
    heading: 'SAML of adfs',
    path: `${LIST}/adfs/saml`,
    doing: press('Make a key for signing'),
  },
  {
    name: 'metadata that was found',
    heading: 'Identity provider adfs',
    path: `${LIST}/adfs/saml`,
    doing: async (page) => {
      await page.getByLabel('Or the metadata itself').fill(samlFixture('okta.xml'));
      await press('Read it')(page);
    },
  },
  {
    name: 'metadata that cannot be used',
    heading: 'Add an identity provider',
    path: `${LIST}/new?preset=okta_saml&name=acme`,
    doing: async (page) => {
      await page.getByLabel('Or the metadata itself').fill('<html/>');
      await press('Read it')(page);
    },
  },
  {
    name: 'a response that is examined',
    heading: 'Examine a response of adfs',
    path: `${LIST}/adfs/examine`,
    doing: async (page) => {
      await page.getByLabel('Response', { exact: true }).fill('<Response/>');
      await press('Examine it')(page);
    },
  },
  { name: 'deleting', heading: 'Delete okta', path: `${LIST}/okta/delete` },
  {
    name: 'disabling somebody’s only way in',
    heading: 'Disable okta',
    path: LIST,
    doing: press('Disable okta'),
  },
  { name: 'a test', heading: 'Test of okta', path: LIST, doing: press('Test okta') },
  { name: 'blocked identities', heading: 'Blocked identities', path: '/admin/users/blocked' },
  { name: 'a connected user', heading: 'ada@example.com', path: '/admin/users/:ada' },
  {
    name: 'a synced role',
    heading: 'Roles of ada@example.com',
    path: '/admin/users/:ada',
    doing: press('Sync roles from SSO'),
  },
];

describe('the pages about identity providers', () => {
  test.each(SIGHTS)('$name', async ({ heading, path, doing }) => {
    await using site = await serveSite(harness);
    const { root, ada } = await givenCast();
    const page = await chromium.open(site.url, { scripts: true });
    await enterAs(page, site, root);

    await page.goto(path.replace(':ada', ada));
    await doing?.(page);

    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test('trying a sign-in leads to the provider', async () => {
    await using site = await serveSite(harness);
    const { root } = await givenCast();
    fake.behave = {
      routes: { '/authorize': (_, response) => response.end('The provider asks who you are.') },
    };
    const page = await chromium.open(site.url, { scripts: false });
    await enterAs(page, site, root);

    await page.goto(LIST);
    await page.getByRole('button', { name: 'Try sign-in okta', exact: true }).click();

    await page.getByText('The provider asks who you are.').waitFor();
    expect(new URL(page.url()).origin).toBe(fake.issuer);
  });
});
