import type { Fields } from '#src/http/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { findUrlProblem } from '#src/sso/parse-url.ts';
import { describeMetadata, type MetadataSummary } from '#src/sso/saml/describe-metadata.ts';
import type { ImportedMetadata } from '#src/sso/saml/import-metadata.ts';

type ProviderFields = Record<string, unknown>;

type Given =
  | { found: MetadataSummary; fields: ProviderFields; problems?: never }
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
    const { importMetadata } = await import('#src/sso/saml/import-metadata.ts');
    const { metadata, fields } =
      url === '' ? importMetadata(xml, { entityId, now }) : await ask(web, url, entityId);
    return { found: describeMetadata(metadata, now), fields };
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.includes(error.code)) throw error;
    return refuse(url === '' ? 'from_xml' : 'from_url', error.errors ?? [error.message]);
  }
}

const REFUSALS: readonly ErrorCode[] = ['validation_failed', 'service_unavailable'];

/** The address is kept in place of what it says, but for what it cannot say anew. */
async function ask(web: Web, metadataUrl: string, entityId: string | undefined): Promise<ImportedMetadata> {
  const problem = findUrlProblem(metadataUrl);
  if (problem) throw new AppError('validation_failed', problem);
  const { importMetadataFrom } = await import('#src/sso/saml/import-metadata.ts');
  const { access } = await web.federation.open();
  const { metadata, fields } = await importMetadataFrom({ metadataUrl, entityId }, access);
  const { name_id_format } = fields;
  return {
    metadata,
    fields: {
      metadata_url: metadataUrl,
      ...(entityId !== undefined && { entity_id: entityId }),
      ...(name_id_format !== undefined && { name_id_format }),
    },
  };
}

function refuse(field: string, messages: readonly string[]): Given {
  return {
    problems: messages.map((message) => ({
      field,
      message: `Metadata: ${message.replace(/^metadata(_url)?: /, '')}`,
    })),
  };
}
