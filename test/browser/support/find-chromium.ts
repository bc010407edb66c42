import { accessSync, constants } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The browser of this machine: the one CHROMIUM names, else where systems put it; undefined without one. */
export function findChromium(named = process.env.CHROMIUM): string | undefined {
  if (!named) return PLACES.find(isProgram);
  if (!isProgram(named)) throw new Error(`CHROMIUM names ${named}, which is no program`);
  return named;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
