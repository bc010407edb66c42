import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Fields, Problem } from '#src/sso/providers/field-reader.ts';
import { StoredProvider } from '#src/sso/providers/provider.entity.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { fieldsOf } from '#src/sso/providers/provider-fields.ts';
import {
  refuseProvider,
  requireProvider,
  requireValidCertificates,
} from '#src/sso/providers/provider-problems.ts';
import { sealProvider } from '#src/sso/providers/seal-provider.ts';

/** Whether the provider answers is for the caller to check first, outside the transaction (check-provider.ts). */
export async function createProvider(work: Work, fields: Fields): Promise<Provider> {
  const provider = requireProvider(fields);
  requireValidCertificates(provider, work.now());
  const taken = await findTaken(work, provider);
  if (taken.length > 0) throw refuseProvider(taken, { hint: 'financectl providers list shows them all.' });

  work.em.create(StoredProvider, sealProvider(work.cipher, provider));
  recordAuditEvent(work, 'provider_created', {
    provider: provider.name,
    metadata: { provider_id: provider.id, fields: Object.keys(fieldsOf(provider)) },
  });
  await work.em.flush();
  return provider;
}

async function findTaken(work: Work, { id, name }: Provider): Promise<Problem[]> {
  const others = await work.em.find(StoredProvider, { $or: [{ id }, { name }] });
  return others.flatMap((other): Problem[] => [
    ...(other.name === name ? [{ field: 'name', message: `there is already a provider ${name}` }] : []),
    ...(other.id === id && other.name !== name
      ? [{ field: 'id', message: `${id} belongs to the provider ${other.name}; choose another id` }]
      : []),
  ]);
}
