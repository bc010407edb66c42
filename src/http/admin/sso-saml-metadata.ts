import type { Fields } from '#src/http/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { findUrlProblem } from '#src/sso/providers/parse-url.ts';
import { describeMetadata, type MetadataSummary } from '#src/sso/saml/metadata/describe-metadata.ts';
import type { ImportedMetadata } from '#src/sso/saml/metadata/import-metadata.ts';

type Given =
  | { found: MetadataSummary; fields: ImportedMetadata['fields']; problems?: never }
  | { found?: never; fields?: never; problems: Problem[] };

/** What metadata says that a form gives by address or by paste, and what it makes of the provider's fields. */
export async function readGivenMetadata(web: Web, form: Fields): Promise<Given> {
  const url = form.get('from_url')?.trim() ?? '';
  const xml = form.get('from_xml')?.trim() ?? '';
  if ((url === '') === (xml === ''))
    return refuse('from_url', ['give its address or the metadata itself, one of them']);
  const entityId = form.get('from_entity')?.trim() || undefined;
  const now = web.runtime.now();
  try {
    const { importMetadata } = await import('#src/sso/saml/metadata/import-metadata.ts');
    const { metadata, fields } =
      url === '' ? importMetadata(xml, { entityId, now }) : await ask(web, url, entityId);
    return { found: describeMetadata(metadata, now), fields };
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.includes(error.code)) throw error;
    const hint = error.hint === undefined ? '' : `. ${error.hint}`;
    const messages = (error.errors ?? [error.message]).map((message) => `${message}${hint}`);
    return refuse(url === '' ? 'from_xml' : 'from_url', messages);
  }
}

const REFUSALS: readonly ErrorCode[] = ['validation_failed', 'service_unavailable'];

async function ask(web: Web, metadataUrl: string, entityId: string | undefined): Promise<ImportedMetadata> {
  const problem = findUrlProblem(metadataUrl);
  if (problem) throw new AppError('validation_failed', problem);
  const { importMetadataFrom } = await import('#src/sso/saml/metadata/import-metadata.ts');
  const { access } = await web.federation.open();
  return await importMetadataFrom({ metadataUrl, entityId }, access);
}

function refuse(field: string, messages: readonly string[]): Given {
  return {
    problems: messages.map((message) => ({
      field,
      message: `Metadata: ${message.replace(/^metadata(_url)?: /, '')}`,
    })),
  };
}
