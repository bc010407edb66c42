import { join } from 'node:path';

/** The file of variables that is read where no other is named: `.env` in the checkout. Nobody has to have one. */
export const STANDARD_FILE = join(import.meta.dirname, '../.env');

/** The identity providers, unless AUTH_PROVIDERS_FILE names another file. */
export const STANDARD_PROVIDERS_FILE = join(import.meta.dirname, 'auth.yml');
