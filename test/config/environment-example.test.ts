import { expect, test } from 'vitest';
import { SETTINGS, type Setting } from '#config/settings.ts';

const HEAD = `# Every setting, turned off: copy this file to .env (chmod 600), or name a copy with --config, and take the # away
# before what you want to say. financectl config check tells whether all of it is understood.
# A value with # or quotes in it stands in quotes.
`;

test('.env.example has every setting with what it does; vitest -u writes it anew', async () => {
  const settings = Object.entries<Setting<unknown>>(SETTINGS).map(([name, { about, expects, secret }]) => {
    const inFile = secret ? `; or ${name}_FILE names a file that holds it` : '';
    return `\n# ${about}${inFile}\n# (${expects})\n#${name}=\n`;
  });

  await expect(HEAD + settings.join('')).toMatchFileSnapshot('../../.env.example');
});
