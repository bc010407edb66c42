import { type Command, Option } from 'commander';
import { urlsOf } from '#cli/commands/providers/present.ts';
import { aboutStored, loginPolicy, tellWhenUnused } from '#cli/commands/providers/source.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print, say } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';
import { count } from '#cli/values.ts';
import { KEY_USES, type KeyUse } from '#src/sso/providers/make-certificate.ts';

interface KeygenOptions {
  for: KeyUse;
  days?: number;
  bits?: number;
  replace?: true;
  toDir?: string;
}

export function keygen(providers: Command, host: Host): void {
  providers
    .command('keygen')
    .summary('make a key of ours for a SAML provider')
    .description(
      'Makes an RSA key with a certificate for a SAML provider and stores both, the key encrypted; for a provider of the file --to-dir writes them, and says what to put there. Only the certificate is printed. A key for signing signs sign-outs, and sign-ins with "sign requests"; one for encryption opens encrypted assertions.',
    )
    .argument('<provider>', 'name or id')
    .addOption(new Option('--for <use>', 'what it is for').choices(KEY_USES).default('signing'))
    .option('--days <days>', 'how long the certificate is good for; default 3650', count)
    .option('--bits <bits>', 'length of the key; default 3072', count)
    .option('--replace', 'even when there is a key for it already')
    .option(
      '--to-dir <folder>',
      "for a provider of the providers' file: write key and certificate (mode 0600)",
    )
    .addHelpText(
      'after',
      examples(
        [
          'providers keygen okta',
          'providers keygen okta --for encryption -o encryption.crt',
          'providers keygen okta --to-dir /etc/finance',
        ],
        'financectl providers urls, financectl providers update --sign-requests',
      ),
    )
    .action((reference: string, options: KeygenOptions) => runKeygen(host, reference, options));
}

async function runKeygen(host: Host, reference: string, options: KeygenOptions): Promise<void> {
  if (options.toDir !== undefined) {
    const { keygenToFiles } = await import('#cli/commands/providers/keygen-files.ts');
    return keygenToFiles(host, reference, { ...options, folder: options.toDir });
  }
  const [{ generateProviderKey }, { describeCertificate }] = await Promise.all([
    import('#src/sso/providers/generate-provider-key.ts'),
    import('#src/sso/providers/describe-certificate.ts'),
  ]);
  const { for: use, days, bits, replace } = options;
  const { appUrl } = host.config().http;
  const request = { provider: reference, use, days, bits, replace, appUrl, policy: loginPolicy(host) };
  const { provider, certificate } = await aboutStored(host, reference, () =>
    host.perform((work) => generateProviderKey(work, request)),
  );
  const { id, name } = provider;
  const { fingerprint, expiresAt } = describeCertificate(certificate, new Date());
  const { metadata_url } = urlsOf(provider, appUrl);
  say(host.io, `Made a key for ${use} of ${name}; its certificate is good until ${dayOf(expiresAt)}`);
  say(host.io, `SHA-256 ${fingerprint}`);
  tellWhenUnused(host);
  say(host.io, `Next: give the identity provider our metadata again, ${metadata_url}, or this certificate`);
  if (use === 'encryption')
    say(
      host.io,
      'The provider must encrypt with aes128-gcm or aes256-gcm, and rsa-oaep-mgf1p: AES-CBC, the default of many, is refused.',
    );
  if (use === 'signing' && provider.strategy === 'saml' && !provider.signRequests)
    say(host.io, `To sign sign-ins with it too: financectl providers update ${name} --sign-requests`);
  if (host.flags.json) {
    const fingerprint_sha256 = fingerprint;
    const expires_at = expiresAt.toISOString();
    printJson(host, { id, name, for: use, certificate, fingerprint_sha256, expires_at, metadata_url });
  } else print(host.io, certificate.trimEnd());
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
