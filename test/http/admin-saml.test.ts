import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '#src/sso/providers/make-certificate.ts';
import { dump, givenVisitor, post, problemsOf } from '#test/http/administrator.ts';
import { type Served, serve } from '#test/http/serve.ts';
import type { Visited, Visitor } from '#test/http/visitor.ts';
import { givenMetadata, samlFixture } from '#test/sso/given-metadata.ts';
import { fixture, givenProvider, SAML } from '#test/sso/given-provider.ts';
import { type AnswerOptions, createSamlIdp } from '#test/sso/support/saml-idp.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db', AUTH_LOCAL_LOGIN_ENABLED: 'true' });

const LIST = '/admin/sso_providers';
const READ = `${LIST}/metadata`;

let served: Served;
beforeAll(async () => {
  served = await serve(harness.runtime);
});
afterAll(() => served[Symbol.asyncDispose]());

async function givenAdmin(): Promise<Visitor> {
  return (await givenVisitor(harness, served, { role: 'super_admin' })).visitor;
}

async function published(xml = samlFixture('okta.xml')) {
  const server = await givenMetadata(xml);
  onTestFinished(() => server.close());
  return server;
}

const BLANK = { issuer: undefined, client_id: undefined, client_secret: undefined };

const givenSaml = (fields: Record<string, unknown> = {}) =>
  givenProvider(harness, { ...BLANK, ...SAML, name: 'corp', ...fields });

const begin = async (visitor: Visitor, name = 'corp'): Promise<Visited> =>
  visitor.submit(await visitor.get(`${LIST}/new`), `${LIST}/new`, { strategy: 'saml', name });

const settings = async () =>
  (await harness.query<{ settings: Record<string, unknown> }>('select settings from sso_providers'))[0]
    ?.settings;

const textOf = ({ root }: Visited) => root.querySelector('main')?.text.replaceAll(/\s+/g, ' ') ?? '';

/** The centuries of the list's column. */
const certificateEnds = ({ root }: Visited) =>
  root.querySelectorAll('tbody tr').map((row) => row.querySelectorAll('td')[2]?.text.trim().slice(0, 2));

const shownIn = ({ root }: Visited, id: string) => root.querySelector(`#${id}`)?.getAttribute('value');

const UNUSABLE: [values: Record<string, string>, problem: string, field: string][] = [
  [{}, 'give its address or the metadata itself', '#from_url'],
  [{ from_url: 'https://a.example', from_xml: '<a/>' }, 'one of them', '#from_url'],
  [{ from_url: 'ftp://a.example' }, 'must be an absolute http', '#from_url'],
  [{ from_xml: '<!doctype html><script>x</script>' }, 'not the page one reads about it', '#from_xml'],
  [{ from_xml: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' }, 'cannot be used', '#from_xml'],
  [{ from_xml: '<a/>' }, 'cannot be used', '#from_xml'],
  [{ from_xml: samlFixture('okta.xml'), from_entity: 'urn:other' }, 'belongs to another', '#from_xml'],
];

const padded = (size: number) => samlFixture('okta.xml').replace('?>', `?><!--${'x'.repeat(size)}-->`);

describe('adding a SAML provider from metadata', () => {
  test('by address shows our addresses, then what was found, and saves the address alone', async () => {
    const visitor = await givenAdmin();
    const { url } = await published();

    const second = await begin(visitor);
    const preview = await visitor.submit(second, READ, { from_url: url });
    const unsaved = await settings();
    const saved = await visitor.submit(preview, LIST);
    const page = await visitor.get(`${LIST}/corp/saml`);

    const { appUrl } = harness.runtime.config.http;
    for (const [id, path] of [
      ['our_entity_id', ''],
      ['our_callback_url', '/callback'],
      ['our_metadata_url', '/metadata'],
      ['our_logout_url', '/logout'],
    ] as const)
      expect(shownIn(second, id)).toBe(`${appUrl}/auth/saml/corp${path}`);
    expect(preview.status).toBe(200);
    expect(textOf(preview)).toMatch(/Nothing is saved yet.*Entity id ?http:\/\/www\.okta\.com\/.*CN=okta/);
    expect(preview.root.querySelector('button[form="settings"]')?.text).toBe('Add the provider');
    expect(preview.root.querySelector('form#settings')?.getAttribute('action')).toBe(LIST);
    expect(textOf(preview)).toMatch(/([0-9A-F]{2}:){31}[0-9A-F]{2} ?20\d\d-\d\d-\d\d/);
    expect(unsaved).toBeUndefined();
    expect(saved).toMatchObject({ status: 303, location: `${LIST}/corp/edit?notice=provider_created` });
    expect(await settings()).toMatchObject({ metadata_url: url });
    expect(Object.keys((await settings()) ?? {})).not.toContain('certificate');
    expect(textOf(page)).toMatch(
      /In use.*http:\/\/www\.okta\.com.*Single logout ?Needs a key and a logout URL/,
    );
    expect(textOf(page)).toMatch(/Metadata ?Read 20\d\d-/);
  });

  test('by paste fills in the settings, those of a well-known product too', async () => {
    const visitor = await givenAdmin();
    const second = await visitor.submit(await visitor.get(`${LIST}/new`), `${LIST}/new`, {
      preset: 'keycloak_saml',
    });

    const preview = await visitor.submit(second, READ, { from_xml: samlFixture('keycloak.xml') });
    await visitor.submit(preview, LIST);

    expect(textOf(second)).toContain(
      'Such as https://keycloak.example.com/realms/main/protocol/saml/descriptor',
    );
    expect(textOf(preview)).toContain('It wants signed requests');
    expect(await settings()).toMatchObject({
      entity_id: 'https://keycloak.example.com/realms/finance',
      sso_url: expect.stringMatching(/^https:/),
      logout_url: expect.stringMatching(/^https:/),
      certificate: expect.stringContaining('BEGIN CERTIFICATE'),
    });
    expect(Object.keys((await settings()) ?? {})).not.toContain('metadata_url');
  });

  test('does not go on without metadata it can use, and says what is wrong with it', async () => {
    const visitor = await givenAdmin();
    const second = await begin(visitor);
    const before = await dump(harness);

    for (const [values, problem, field] of UNUSABLE) {
      const page = await visitor.submit(second, READ, values);

      expect(page.status).toBe(422);
      expect(problemsOf(page).join()).toContain(problem);
      expect(page.root.querySelector('.problems a')?.getAttribute('href')).toBe(field);
      expect(page.root.querySelector(field)?.getAttribute('aria-invalid')).toBe('true');
      expect(page.text).not.toContain('<script>x');
    }

    expect(await dump(harness)).toEqual(before);
  });

  test('says when nobody answers, and saves such an address only when told to', async () => {
    const visitor = await givenAdmin();
    const gone = await published();
    await gone.close();
    const { url } = gone;
    const second = await begin(visitor);

    const preview = await visitor.submit(second, READ, { from_url: url });
    const refused = await visitor.submit(second, LIST, { metadata_url: url });
    const unsaved = await settings();
    const saved = await visitor.submit(refused, LIST, { skip_verify: 'true' });

    expect([preview.status, refused.status, saved.status]).toEqual([422, 422, 303]);
    expect(problemsOf(preview).join()).toContain('cannot be reached');
    expect(shownIn(preview, 'from_url')).toBe(url);
    expect(refused.root.querySelector('.problems a')?.getAttribute('href')).toBe('#metadata_url');
    expect(unsaved).toBeUndefined();
  });

  test('takes metadata that is larger than any other form, up to 1 MiB', async () => {
    const visitor = await givenAdmin();

    const fits = await post(visitor, READ, { name: 'corp', from_xml: padded(200_000) });
    const excess = await post(visitor, READ, { name: 'corp', from_xml: padded(1_100_000) });
    const elsewhere = await post(visitor, LIST, { name: 'corp', from_xml: padded(70_000) });

    expect([fits.status, excess.status, elsewhere.status]).toEqual([200, 413, 413]);
  });
});

describe('the settings of a SAML provider', () => {
  test('are replaced by other metadata only when that is saved', async () => {
    const visitor = await givenAdmin();
    await givenSaml({ logout_url: 'https://old.example/logout' });
    const before = await settings();

    const page = await visitor.get(`${LIST}/corp/saml`);
    const preview = await visitor.submit(page, `${LIST}/corp/metadata`, {
      from_xml: samlFixture('okta.xml'),
    });
    const unsaved = await settings();
    await visitor.submit(preview, `${LIST}/corp/edit`);

    expect(unsaved).toEqual(before);
    expect(await settings()).toMatchObject({ entity_id: expect.stringContaining('okta') });
    expect(Object.keys((await settings()) ?? {})).not.toContain('logout_url');
  });

  test('offer the NameID formats that last, keep another one, and name attributes', async () => {
    const visitor = await givenAdmin();
    await givenSaml({ name_id_format: 'urn:example:badge' });

    const form = await visitor.get(`${LIST}/corp/edit`);
    await visitor.submit(form, `${LIST}/corp/edit`, {
      email_attribute: 'urn:mail',
      last_name_attribute: 'urn:sn',
    });
    const kept = await settings();
    const again = await visitor.get(`${LIST}/corp/edit`);
    await visitor.submit(again, `${LIST}/corp/edit`, { name_id_format: '' });

    const offered = form.root.querySelectorAll('#name_id_format option');
    expect(offered.map((option) => option.getAttribute('value')?.replace(/^.*:/, ''))).toEqual([
      'badge',
      '',
      'emailAddress',
      'persistent',
      'unspecified',
    ]);
    expect(kept).toMatchObject({
      name_id_format: 'urn:example:badge',
      email_attribute: 'urn:mail',
      last_name_attribute: 'urn:sn',
    });
    expect(Object.keys((await settings()) ?? {})).not.toContain('name_id_format');
  });

  test('show metadata that is read again at a click, and say when that failed', async () => {
    const visitor = await givenAdmin();
    const server = await published();
    await givenSaml({ metadata_url: server.url, entity_id: null, sso_url: null, certificate: null });
    const click = async () => visitor.submit(await visitor.get(`${LIST}/corp/saml`), `${LIST}/corp/refresh`);

    const unread = textOf(await visitor.get(`${LIST}/corp/saml`));
    const first = await visitor.follow(await click());
    server.publish('<html/>');
    const failed = await click();

    expect(unread).toMatch(/Entity ID ?Not known yet.*Metadata ?Not read yet/);
    expect(textOf(first)).toMatch(/The metadata is read.*http:\/\/www\.okta\.com.*Metadata ?Read 20/);
    expect(failed.status).toBe(409);
    expect(textOf(failed)).toMatch(/http:\/\/www\.okta\.com.*the last attempt failed ?: The metadata of the/);
  });

  test('show a certificate that ends within 30 days, which the list puts at its top', async () => {
    const visitor = await givenAdmin();
    await givenSaml();
    const calm = await visitor.get(LIST);
    const { certificate } = await makeCertificate({
      entityId: 'urn:adfs',
      use: 'signing',
      from: new Date(),
      days: 20,
      bits: 2_048,
    });
    await givenSaml({ name: 'ending', certificate });
    await givenSaml({ name: 'rotating', certificate: [certificate, SAML.certificate] });

    const list = await visitor.get(LIST);
    const page = await visitor.get(`${LIST}/ending/saml`);
    const tested = await visitor.submit(list, `${LIST}/ending/test`);
    const rotating = await visitor.get(`${LIST}/rotating/saml`);

    expect(calm.root.querySelector(`form[action="${LIST}/corp/try"]`)).not.toBeNull();
    expect(calm.root.querySelector(`a[href="${LIST}/corp/examine"]`)).not.toBeNull();
    expect(textOf(calm)).not.toContain('end soon');
    expect(textOf(list)).toMatch(
      /Certificates end soon or have ended: ending\..*the last certificate ends 20/,
    );
    expect(certificateEnds(list)).toEqual(['21', '20', '21']);
    expect(textOf(rotating)).not.toContain('ask the provider');
    expect(textOf(tested)).toMatch(/certificates Warning 1 certificate; the last one ends on 20/);
    expect(textOf(page)).toMatch(/The last certificate ends 20\d\d-\d\d-\d\d: ask the provider/);
  });

  test('ties what is wrong with certificates and keys to their inputs, and repeats no key', async () => {
    const visitor = await givenAdmin();
    const second = await begin(visitor);
    const key = fixture('other.key');

    const page = await visitor.submit(second, LIST, {
      certificate: fixture('elliptic.crt'),
      private_key: key,
      sp_certificate: fixture('strong.crt'),
      decryption_certificate: key,
    });

    expect(page.status).toBe(422);
    const fields = page.root.querySelectorAll('.problems a').map((link) => link.getAttribute('href'));
    expect(new Set(fields)).toEqual(
      new Set(['#entity_id', '#sso_url', '#certificate', '#private_key', '#decryption_certificate']),
    );
    expect(page.root.querySelector('#private_key')?.text.trim()).toBe('');
    expect(await settings()).toBeUndefined();
  });
});

describe('making a key', () => {
  test('takes one click, shows the certificate, and replaces a key only when told to', async () => {
    const visitor = await givenAdmin();
    await givenSaml({ logout_url: 'https://adfs.example.com/logout' });
    const keygen = `${LIST}/corp/keygen`;

    const made = await visitor.submit(await visitor.get(`${LIST}/corp/saml`), keygen);
    const page = await visitor.follow(made);
    const refused = await visitor.submit(page, keygen);
    const first = await settings();
    const replaced = await visitor.submit(page, keygen, { replace: 'true' });

    expect(made).toMatchObject({ status: 303, location: `${LIST}/corp/saml?notice=key_made` });
    expect(textOf(page)).toMatch(/Single logout ?Works at both sides/);
    expect(page.text).toContain('BEGIN CERTIFICATE');
    expect(page.text).not.toContain('PRIVATE KEY');
    expect(refused.status).toBe(409);
    expect(problemsOf(refused)).toEqual(['Corp has a key for signing already']);
    expect(replaced.status).toBe(303);
    expect((await settings())?.sp_certificate).not.toBe(first?.sp_certificate);
  });

  test('and reading metadata are for SAML, for what is there, and for a known use', async () => {
    const visitor = await givenAdmin();
    await givenProvider(harness);
    await givenSaml();
    const before = await dump(harness);
    const values = { for: 'signing', from_xml: '<a/>' };

    for (const action of ['refresh', 'keygen', 'metadata']) {
      expect([action, (await post(visitor, `${LIST}/okta/${action}`, values)).status]).toEqual([action, 409]);
      expect([action, (await post(visitor, `${LIST}/nobody/${action}`, values)).status]).toEqual([
        action,
        404,
      ]);
    }
    expect((await post(visitor, `${LIST}/corp/keygen`, { for: 'fun' })).status).toBe(422);
    expect((await post(visitor, `${LIST}/corp/refresh`)).status).toBe(409);
    expect(await dump(harness)).toEqual(before);
  });
});

async function answered(options: Partial<AnswerOptions> = {}) {
  const idp = await createSamlIdp();
  await givenProvider(harness, { ...BLANK, ...idp.fields({ default_role: 'admin' }) });
  const acsUrl = `${harness.runtime.config.http.appUrl}/auth/saml/corp/callback`;
  return (await idp.answer({ acsUrl, requestId: '_asked', misbehave: {}, ...options })).SAMLResponse;
}

const stepsOf = ({ root }: Visited) =>
  root
    .querySelectorAll('tbody tr')
    .map((row) => row.querySelectorAll('th, td').map(({ text }) => text.trim()));

describe('examining a response', () => {
  const EXAMINE = `${LIST}/corp/examine`;

  test('says what came of each check and who it would be, and signs nobody in', async () => {
    const visitor = await givenAdmin();
    const response = await answered();
    const before = await dump(harness);

    const form = await visitor.submit(await visitor.get(EXAMINE), EXAMINE, { response });

    expect(form.status).toBe(200);
    const steps = stepsOf(form).map(([name, result]) => [name, result]);
    expect(steps.slice(0, 2)).toEqual([
      ['message', 'Passed'],
      ['response', 'Passed'],
    ]);
    expect(steps.every(([, result]) => result === 'Passed')).toBe(true);
    expect(textOf(form)).toMatch(/would go on\. Nobody was signed in.*Makes an account for ada@example\.com/);
    expect(await dump(harness)).toEqual(before);
    expect(await harness.query('select 1 from used_assertions')).toEqual([]);
  });

  test('names the check that fails, tells other times, and escapes what the response says', async () => {
    const visitor = await givenAdmin();
    const response = await answered({ misbehave: { audience: 'https://<b>other</b>.example' } });
    const examine = async (values: Record<string, string>) =>
      visitor.submit(await visitor.get(EXAMINE), EXAMINE, values);

    const refused = await examine({ response });
    const early = await examine({ response, at: '2001-01-01T00:00:00Z' });
    const empty = await examine({ at: 'yesterday' });

    expect(stepsOf(refused).filter(([, result]) => result === 'Failed')).toEqual([
      ['audience', 'Failed', expect.stringContaining('other'), 'audience_mismatch'],
    ]);
    expect(refused.text).not.toContain('<b>other');
    expect(textOf(refused)).not.toContain('Who it would be');
    expect(stepsOf(early).flat()).toContain('token_not_yet_valid');
    expect(empty.status).toBe(422);
    expect(problemsOf(empty)).toEqual([
      'Response: must not be empty',
      'When it came: must be a time such as 2026-01-31T12:00:00Z',
    ]);
  });

  test('is for SAML, and needs to know the provider', async () => {
    const visitor = await givenAdmin();
    const gone = await published();
    await gone.close();
    const { url } = gone;
    await givenProvider(harness);
    await givenSaml({ metadata_url: url, entity_id: null, sso_url: null, certificate: null });

    const unknown = await post(visitor, EXAMINE, { response: '<a/>' });

    expect((await visitor.get(`${LIST}/okta/examine`)).status).toBe(409);
    expect((await visitor.get(`${LIST}/nobody/examine`)).status).toBe(404);
    expect(unknown.status).toBe(503);
    expect(problemsOf(unknown)).toEqual(['The identity provider cannot be reached.']);
  });
});
