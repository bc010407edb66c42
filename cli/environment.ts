/** What financectl reads from the environment beside the settings in config/settings.ts. */
export const CLI_VARIABLES = {
  NO_COLOR: 'not empty: no colours',
  FORCE_COLOR: 'colours even where there is no terminal; 0 or false: none',
  TERM: 'dumb: no colours',
  COLUMNS: 'width of tables on a terminal',
  FINANCECTL_NO_INPUT: 'not empty: never ask, as with --no-input',
  FINANCECTL_ACTOR: 'email or id of the super admin to act as, as with --actor',
  CI: 'not empty: never ask',
  DEBUG: 'not empty: show the stack of an error, as with --debug',
  NODE_COMPILE_CACHE: 'where compiled code is kept between runs; default node_modules/.cache/node-compile',
} as const;
