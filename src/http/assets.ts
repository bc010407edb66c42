import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from '#src/http/state.ts';

const style = readAsset('style.css');
const icon = readAsset('icon.svg');
const goOn = readAsset('go-on.js');

/** Named by its content, so that browsers may keep it for good. */
export const STYLE_PATH = `/assets/style-${style.version}.css`;
export const ICON_PATH = `/assets/icon-${icon.version}.svg`;
export const GO_ON_PATH = `/assets/go-on-${goOn.version}.js`;

const ASSETS = new Map([
  [STYLE_PATH, { ...style, type: 'text/css; charset=utf-8' }],
  [ICON_PATH, { ...icon, type: 'image/svg+xml' }],
  [GO_ON_PATH, { ...goOn, type: 'text/javascript; charset=utf-8' }],
]);

/** Answers with an asset, or with false when the path is none. */
export function sendAsset(ctx: Context): boolean {
  const asset = ASSETS.get(ctx.path);
  if (!asset || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return false;
  ctx.state.route = '/assets/:file';
  ctx.res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.res.setHeader('Content-Type', asset.type);
  ctx.body = asset.text;
  return true;
}

function readAsset(name: string): { text: string; version: string } {
  const text = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
  return { text, version: hash('sha256', text).slice(0, 12) };
}
