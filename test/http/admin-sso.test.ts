import { describe, expect, onTestFinished, test } from 'vitest';
import { dump, givenVisitor, post, problemsOf } from '#test/http/administrator.ts';
import { givenPerson, serveWith } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import type { Visited, Visitor } from '#test/http/visitor.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { givenProvider, MARKER, SAML } from '#test/sso/given-provider.ts';
import { startIssuer } from '#test/sso/issuer-server.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db', AUTH_LOCAL_LOGIN_ENABLED: 'true' });

const LIST = '/admin/sso_providers';

async function issuer(...args: Parameters<typeof startIssuer>) {
  const server = await startIssuer(...args);
  onTestFinished(() => server.close());
  return server;
}

async function givenAdmin() {
  const served = await serve(harness.runtime);
  onTestFinished(() => served[Symbol.asyncDispose]());
  const { person, visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
  return { served, person, visitor };
}

const stored = () =>
  harness.query<{ name: string; enabled: boolean; settings: Record<string, unknown>; secrets: object }>(
    'select name, enabled, settings, secrets from sso_providers order by name',
  );

const providersAndEvents = async () => ({ providers: await stored(), rest: await dump(harness) });

/** Fills in the first step. */
const begin = async (visitor: Visitor, values: Record<string, string>): Promise<Visited> =>
  visitor.submit(await visitor.get(`${LIST}/new`), `${LIST}/new`, values);

const textOf = ({ root }: Visited) => root.querySelector('main')?.text.replaceAll(/\s+/g, ' ') ?? '';

describe('the list of identity providers', () => {
  test('shows each with its state, why one cannot work, users and last sign-in', async () => {
    const { visitor, person } = await givenAdmin();
    await givenProvider(harness, { label: '<b>Company</b>' });
    await givenProvider(harness, { name: 'broken', enabled: true });
    await givenProvider(harness, { name: 'off', enabled: false });
    await harness.query(
      `update sso_providers set secrets = '{"client_secret": "v1.nonsense"}' where id = 'broken'`,
    );
    await givenIdentity(harness, { userId: person.id });

    const page = await visitor.get(LIST);

    const rows = page.root.querySelectorAll('tbody tr').map(({ text }) => text.replaceAll(/\s+/g, ' '));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/broken.*Cannot work, so it has no button/);
    expect(rows[1]).toMatch(/off.*Disabled/);
    expect(rows[2]).toMatch(
      /okta.*Enabled.*OpenID Connect.*https:\/\/example\.okta\.com.*1 .*2026-01-02 03:04/,
    );
    expect(page.text).toContain('&lt;b&gt;Company&lt;/b&gt;');
    expect(page.text).not.toContain(MARKER);
  });

  test('is read only while the providers come from the file', async () => {
    const { sso } = harness.runtime.config;
    await using served = await serveWith(harness, { sso: { ...sso, source: 'yaml' } });
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    await givenProvider(harness);
    const before = await providersAndEvents();

    const page = await visitor.get(LIST);
    const changes = [
      await visitor.get(`${LIST}/new`),
      await post(visitor, LIST, { strategy: 'openid_connect', name: 'other' }),
      await post(visitor, `${LIST}/okta/disable`),
      await post(visitor, `${LIST}/okta/delete`),
      await post(visitor, `${LIST}/okta/edit`, { name: 'other' }),
    ];

    expect(page.status).toBe(200);
    expect(textOf(page)).toContain('from the file');
    expect(textOf(page)).toContain(`financectl providers migrate --file ${sso.file}`);
    expect(page.root.querySelectorAll('a[href$="/edit"]')).toEqual([]);
    expect(changes.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
    expect(await providersAndEvents()).toEqual(before);
  });
});

describe('adding a provider', () => {
  test('takes two steps, shows the callback before it is saved, asks the issuer, and holds at once elsewhere', async () => {
    const { visitor, person, served } = await givenAdmin();
    await using other = await serve(harness.runtime);
    const { url, requests } = await issuer();

    const second = await begin(visitor, { strategy: 'openid_connect', name: 'acme' });
    const saved = await visitor.submit(second, LIST, {
      label: 'Acme login',
      issuer: url,
      client_id: 'finance',
      client_secret: MARKER,
      mapping_group_0: 'CN=Admins,OU=a "b"',
      mapping_role_0: 'admin',
      role_mapping_more: '{"custom_mappings": {"dept": "profile.department"}}',
    });
    const page = await visitor.follow(saved);

    const callback = second.root.querySelector('#our_callback_url')?.getAttribute('value');
    const addresses = page.root
      .querySelectorAll('input[readonly]')
      .map((input) => input.getAttribute('value'));
    const { appUrl } = harness.runtime.config.http;
    expect(callback).toBe(`${appUrl}/auth/acme/callback`);
    expect(addresses).toEqual(
      expect.arrayContaining([
        callback,
        `${appUrl}/auth/acme/backchannel_logout`,
        `${appUrl}/auth/logout/callback`,
      ]),
    );
    expect(saved).toMatchObject({ status: 303, location: `${LIST}/acme/edit?notice=provider_created` });
    expect(requests).toContain('/.well-known/openid-configuration');
    expect(page.text).not.toContain(MARKER);
    expect(textOf(page)).toContain('Set. Leave empty to keep it');
    expect(await stored()).toMatchObject([
      {
        name: 'acme',
        enabled: true,
        settings: {
          issuer: url,
          role_mapping: {
            mappings: [{ group: 'CN=Admins,OU=a "b"', role: 'admin' }],
            custom_mappings: { dept: 'profile.department' },
          },
        },
      },
    ]);
    const login = await fetch(`${other.url}/sessions/new`);
    expect(await login.text()).toContain('Acme login');
    const [event] = await harness.query(
      `select actor_id, metadata::text as metadata from audit_events where event_type = 'provider_created' and provider = 'acme'`,
    );
    expect(event).toMatchObject({ actor_id: person.id, metadata: expect.stringContaining('client_secret') });
    expect(JSON.stringify(event)).not.toContain(MARKER);
    expect(served.url).not.toBe(other.url);
  });

  test('fills in what a well-known provider has in common', async () => {
    const { visitor } = await givenAdmin();

    const second = await begin(visitor, { preset: 'github' });
    const saved = await visitor.submit(second, LIST, { client_id: 'finance', client_secret: MARKER });

    expect(textOf(second)).toContain('GitHub sends no groups');
    expect(saved.status).toBe(303);
    expect(await stored()).toMatchObject([
      {
        name: 'github',
        settings: { emails_url: 'https://api.github.com/user/emails', name_attribute: 'name' },
      },
    ]);
  });

  test.each([
    [{ strategy: 'openid_connect', name: 'Not A Name' }, 'Name: must begin with'],
    [{ strategy: 'openid_connect', name: 'saml' }, 'Name: must not be'],
    [{ strategy: 'openid_connect', name: 'okta' }, 'Name: there is already a provider okta'],
    [{ strategy: 'openid_connect' }, 'Name: must not be empty'],
    [{ strategy: 'openid_connect', name: '"><script>' }, 'Name: must begin with'],
  ])('does not go on with %j', async (values, problem) => {
    const { visitor } = await givenAdmin();
    await givenProvider(harness);

    const page = await begin(visitor, values);

    expect(page.status).toBe(422);
    expect(problemsOf(page).join()).toContain(problem);
    expect(page.text).not.toContain('<script>');
  });

  test('ties every problem to its input and keeps what was typed, but no secret', async () => {
    const { visitor } = await givenAdmin();
    const second = await begin(visitor, { strategy: 'openid_connect', name: 'acme' });
    const before = await providersAndEvents();

    const page = await visitor.submit(second, LIST, {
      label: 'Kept "label"',
      issuer: 'ftp://nowhere',
      client_secret: MARKER,
      mapping_group_0: 'Kept group',
      mapping_role_0: 'root',
      role_mapping_more: '{"conditions": [{"attribute": "a"}]}',
    });

    expect(page.status).toBe(422);
    const fields = page.root.querySelectorAll('.problems a').map((link) => link.getAttribute('href'));
    expect(new Set(fields)).toEqual(
      new Set(['#issuer', '#client_id', '#mapping_role_0', '#role_mapping_more']),
    );
    for (const field of fields) expect(page.root.querySelector(field ?? '')).not.toBeNull();
    expect(page.root.querySelector('#label')?.getAttribute('value')).toBe('Kept "label"');
    expect(page.root.querySelector('#mapping_group_0')?.getAttribute('value')).toBe('Kept group');
    expect(page.text).not.toContain(MARKER);
    expect(await providersAndEvents()).toEqual(before);
  });

  test.each([
    ['{', 'must be a JSON object'],
    ['[]', 'must be a JSON object'],
    ['{"mappings": []}', 'must be a JSON object'],
    ['{"hierarchy": {"member": ["admin"]}}', 'higher role'],
    ['{"hierarchy": {"admin": ["admin"]}}', 'circle'],
    ['{"custom_mappings": {"a": "role"}}', 'must lead to'],
  ])('refuses the other rules %s', async (json, problem) => {
    const { visitor } = await givenAdmin();
    const second = await begin(visitor, { strategy: 'openid_connect', name: 'acme' });

    const page = await visitor.submit(second, LIST, {
      issuer: 'https://id.example.com',
      client_id: 'x',
      skip_verify: 'true',
      role_mapping_more: json,
    });

    expect(page.status).toBe(422);
    expect(problemsOf(page).join()).toContain(problem);
    expect(page.root.querySelector('#role_mapping_more')?.getAttribute('aria-invalid')).toBe('true');
    expect(await stored()).toEqual([]);
  });

  test('shows why the issuer is not what it should be, and saves it unchecked only when told to', async () => {
    const { visitor } = await givenAdmin();
    const { url } = await issuer((own) => ({ issuer: `${own}/` }));
    const second = await begin(visitor, { strategy: 'openid_connect', name: 'acme' });
    const values = { issuer: url, client_id: 'finance' };

    const refused = await visitor.submit(second, LIST, values);
    const before = await stored();
    const saved = await visitor.submit(refused, LIST, { ...values, skip_verify: 'true' });

    expect(refused.status).toBe(422);
    expect(problemsOf(refused).join()).toContain('slash');
    expect(before).toEqual([]);
    expect(saved.status).toBe(303);
  });

  test('takes only the fields of its form', async () => {
    const { visitor } = await givenAdmin();
    const second = await begin(visitor, { strategy: 'openid_connect', name: 'acme' });
    const form = { issuer: 'https://id.example.com', client_id: 'x', skip_verify: 'true' };

    await visitor.submit(second, LIST, { ...form, id: 'other', role_mapping: '{"mappings":[]}', x: 'y' });

    expect(await harness.query('select id from sso_providers')).toEqual([{ id: 'acme' }]);
  });
});

describe('changing a provider', () => {
  const EDIT = `${LIST}/okta/edit`;

  test('changes what was changed, keeps the secret, and records the names of the fields', async () => {
    const { visitor, person } = await givenAdmin();
    await givenProvider(harness, {
      role_mapping: { mappings: ['A', 'B', 'C'].map((group) => ({ group, role: 'member' })) },
    });
    const [before] = await stored();

    const page = await visitor.get(EDIT);
    const saved = await visitor.submit(page, EDIT, {
      label: 'Renamed',
      mapping_remove_1: 'true',
      mapping_role_2: 'super_admin',
      mapping_group_3: 'D',
      mapping_role_3: 'admin',
    });

    expect(saved).toMatchObject({ status: 303, location: `${EDIT}?notice=provider_saved` });
    const [after] = await stored();
    expect(after?.secrets).toEqual(before?.secrets);
    expect(after?.settings).toMatchObject({
      role_mapping: {
        mappings: [
          { group: 'A', role: 'member' },
          { group: 'C', role: 'super_admin' },
          { group: 'D', role: 'admin' },
        ],
      },
    });
    const [event] = await harness.query(
      `select actor_id, metadata from audit_events where event_type = 'provider_updated' and actor_id = $1`,
      [person.id],
    );
    expect(event).toMatchObject({ metadata: { fields: ['label', 'role_mapping'] } });
    expect(page.text).not.toContain(MARKER);
  });

  test('replaces a secret, and a rename moves the callback', async () => {
    const { visitor } = await givenAdmin();
    await givenProvider(harness);
    const [before] = await stored();

    const saved = await visitor.submit(await visitor.get(EDIT), EDIT, {
      name: 'acme',
      client_secret: 'another one',
    });
    const page = await visitor.follow(saved);

    const [after] = await stored();
    expect(after?.secrets).not.toEqual(before?.secrets);
    expect(page.root.querySelector('#our_callback_url')?.getAttribute('value')).toMatch(
      /\/auth\/acme\/callback$/,
    );
    expect(page.text).not.toContain('another one');
  });

  test('asks a new issuer, and leaves the old one when it is not right', async () => {
    const { visitor } = await givenAdmin();
    await givenProvider(harness);
    const { url } = await issuer(() => ({ issuer: 'https://evil.example' }));
    const before = await providersAndEvents();

    const page = await visitor.submit(await visitor.get(EDIT), EDIT, { issuer: url });

    expect(page.status).toBe(422);
    expect(page.root.querySelector('.problems a')?.getAttribute('href')).toBe('#issuer');
    expect(page.root.querySelector('#issuer')?.getAttribute('value')).toBe(url);
    expect(await providersAndEvents()).toEqual(before);
  });

  test('is refused after somebody else has changed it', async () => {
    const { visitor } = await givenAdmin();
    await givenProvider(harness);
    const page = await visitor.get(EDIT);
    await visitor.submit(page, EDIT, { label: 'First' });
    const before = await providersAndEvents();

    const late = await visitor.submit(page, EDIT, { label: 'Second' });

    expect(late.status).toBe(409);
    expect(problemsOf(late).join()).toContain('changed by somebody else');
    expect(late.root.querySelector('#label')?.getAttribute('value')).toBe('Second');
    expect(await providersAndEvents()).toEqual(before);
  });

  test('refuses a name that is taken', async () => {
    const { visitor } = await givenAdmin();
    await givenProvider(harness);
    await givenProvider(harness, { name: 'taken' });

    const page = await visitor.submit(await visitor.get(EDIT), EDIT, { name: 'taken' });

    expect(page.status).toBe(422);
    expect(problemsOf(page)).toEqual(['Name: there is already a provider taken']);
  });

  test('shows SAML providers with all their fields but the keys', async () => {
    const { visitor } = await givenAdmin();
    await givenProvider(harness, {
      ...SAML,
      issuer: undefined,
      client_id: undefined,
      client_secret: undefined,
    });

    const page = await visitor.get(`${LIST}/adfs/edit`);

    expect(page.status).toBe(200);
    expect(page.root.querySelector('#our_entity_id')?.getAttribute('value')).toMatch(/\/auth\/saml\/adfs$/);
    expect(page.root.querySelector('#certificate')?.text).toContain('BEGIN CERTIFICATE');
  });

  test('answers an unknown name with 404', async () => {
    const { visitor } = await givenAdmin();

    for (const page of [await visitor.get(`${LIST}/nobody/edit`), await visitor.get(`${LIST}/nobody/delete`)])
      expect(page.status).toBe(404);
    for (const action of ['edit', 'enable', 'disable', 'test', 'delete'])
      expect([action, (await post(visitor, `${LIST}/nobody/${action}`)).status]).toEqual([action, 404]);
  });
});

describe('enabling, disabling and deleting', () => {
  test('takes one click, and holds at the next request of another process', async () => {
    const { visitor } = await givenAdmin();
    await using other = await serve(harness.runtime);
    await givenProvider(harness);
    const isShown = async () =>
      (await (await fetch(`${other.url}/sessions/new`)).text()).includes('Company login');

    const disabled = await visitor.submit(await visitor.get(LIST), `${LIST}/okta/disable`);
    const hidden = await isShown();
    const enabled = await visitor.submit(await visitor.get(LIST), `${LIST}/okta/enable`);

    expect([disabled.status, enabled.status]).toEqual([303, 303]);
    expect([hidden, await isShown()]).toEqual([false, true]);
  });

  test.each(['disable', 'delete'])(
    '%s warns of those without another way in, and does it when told to',
    async (action) => {
      const { visitor } = await givenAdmin();
      await givenProvider(harness);
      const stranded = await givenPerson(harness, { password: null });
      await givenIdentity(harness, { userId: stranded.id });
      const before = await providersAndEvents();

      const warning =
        action === 'disable'
          ? await visitor.submit(await visitor.get(LIST), `${LIST}/okta/disable`)
          : await visitor.fill(`${LIST}/okta/delete`, `${LIST}/okta/delete`);
      const unchanged = await providersAndEvents();
      const done = await visitor.submit(warning, `${LIST}/okta/${action}`, { force: 'true' });

      expect(warning.status).toBe(403);
      expect(textOf(warning)).toContain(stranded.email);
      expect(unchanged).toEqual(before);
      expect(done.status).toBe(303);
      expect((await stored()).filter(({ enabled }) => enabled)).toEqual([]);
    },
  );

  test('does not offer to lock out the last super admin', async () => {
    const { auth } = harness.runtime.config;
    await using served = await serveWith(harness, { auth: { ...auth, localLogin: true } });
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    await givenProvider(harness);
    await givenIdentity(harness, { userId: person.id });
    await harness.query('update users set password_digest = null where id = $1', [person.id]);
    const before = await providersAndEvents();

    const refused = await visitor.submit(await visitor.get(LIST), `${LIST}/okta/disable`);
    const insisted = await post(visitor, `${LIST}/okta/disable`, { force: 'true' });
    const deleted = await post(visitor, `${LIST}/okta/delete`, { force: 'true' });

    expect([refused.status, insisted.status, deleted.status]).toEqual([403, 403, 403]);
    expect(refused.root.querySelector('input[name=force]')).toBeNull();
    expect(problemsOf(refused).join()).toContain('no super admin could sign in');
    expect(await providersAndEvents()).toEqual(before);
  });

  test('deleting says how many are connected', async () => {
    const { visitor, person } = await givenAdmin();
    await givenProvider(harness);
    await givenIdentity(harness, { userId: person.id });

    const page = await visitor.get(`${LIST}/okta/delete`);
    const done = await visitor.submit(page, `${LIST}/okta/delete`);

    expect(textOf(page)).toContain('1 user is disconnected');
    expect(done).toMatchObject({ status: 303, location: `${LIST}?notice=provider_deleted` });
    expect(await harness.query('select 1 from identities')).toEqual([]);
  });
});

describe('testing a provider', () => {
  test('shows each check in words, and changes nothing', async () => {
    const { visitor } = await givenAdmin();
    const { url } = await issuer();
    await givenProvider(harness, { issuer: url });
    const before = await providersAndEvents();

    const page = await visitor.submit(await visitor.get(LIST), `${LIST}/okta/test`);

    expect(page.status).toBe(200);
    expect(textOf(page)).toMatch(/discovery Passed .*200 .*ms/);
    expect(page.text).not.toContain(MARKER);
    expect(await providersAndEvents()).toEqual(before);
  });

  test('says what to configure when the issuer is another', async () => {
    const { visitor } = await givenAdmin();
    const { url } = await issuer((own) => ({ issuer: `${own}/` }));
    await givenProvider(harness, { issuer: url });

    const page = await visitor.submit(await visitor.get(LIST), `${LIST}/okta/test`);

    expect(textOf(page)).toMatch(/issuer Failed/);
    expect(page.root.querySelector('code.secret')?.text).toBe(`${url}/`);
  });
});
