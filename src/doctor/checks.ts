import type { Check } from '#src/doctor/check.ts';
import { address } from '#src/doctor/checks/address.ts';
import { auditArchive } from '#src/doctor/checks/audit-archive.ts';
import { certificates } from '#src/doctor/checks/certificates.ts';
import { clock } from '#src/doctor/checks/clock.ts';
import { connections } from '#src/doctor/checks/connections.ts';
import { database } from '#src/doctor/checks/database.ts';
import { disk } from '#src/doctor/checks/disk.ts';
import { embeddedDatabase } from '#src/doctor/checks/embedded-database.ts';
import { encryptionKeys } from '#src/doctor/checks/encryption-keys.ts';
import { expiredRows } from '#src/doctor/checks/expired-rows.ts';
import { mail } from '#src/doctor/checks/mail.ts';
import { migrations } from '#src/doctor/checks/migrations.ts';
import { node } from '#src/doctor/checks/node.ts';
import { providerFile } from '#src/doctor/checks/provider-file.ts';
import { providers } from '#src/doctor/checks/providers.ts';
import { roles } from '#src/doctor/checks/roles.ts';
import { secretFiles } from '#src/doctor/checks/secret-files.ts';
import { secretKeyBase } from '#src/doctor/checks/secret-key-base.ts';
import { settings } from '#src/doctor/checks/settings.ts';
import { superAdmin } from '#src/doctor/checks/super-admin.ts';
import { tables } from '#src/doctor/checks/tables.ts';

const SETTINGS = ['settings'];
const DATABASE = ['settings', 'database'];
const SCHEMA = ['settings', 'database', 'migrations'];

/** Everything the doctor looks at, in this order; the names are part of its JSON. */
export const CHECKS: readonly Check[] = [
  { name: 'node', needs: [], look: node },
  { name: 'settings', needs: [], look: settings },
  { name: 'secret_files', needs: SETTINGS, look: secretFiles },
  { name: 'provider_file', needs: SETTINGS, look: providerFile },
  { name: 'address', needs: SETTINGS, look: address },
  { name: 'disk', needs: SETTINGS, look: disk },
  { name: 'embedded_database', needs: SETTINGS, look: embeddedDatabase },
  { name: 'database', needs: SETTINGS, look: database },
  { name: 'roles', needs: DATABASE, look: roles },
  { name: 'migrations', needs: DATABASE, look: migrations },
  { name: 'clock', needs: DATABASE, look: clock },
  { name: 'connections', needs: DATABASE, look: connections },
  { name: 'tables', needs: SCHEMA, look: tables },
  { name: 'expired_rows', needs: SCHEMA, look: expiredRows },
  { name: 'secret_key_base', needs: SETTINGS, look: secretKeyBase },
  { name: 'encryption_keys', needs: SCHEMA, look: encryptionKeys },
  { name: 'super_admin', needs: SCHEMA, look: superAdmin },
  { name: 'providers', needs: SCHEMA, look: providers },
  { name: 'certificates', needs: SCHEMA, look: certificates },
  { name: 'audit_archive', needs: SCHEMA, look: auditArchive },
  { name: 'mail', needs: SETTINGS, look: mail },
];
