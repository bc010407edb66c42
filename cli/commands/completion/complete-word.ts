/** What the scripts of `completion` put before the words of a command line that is to be completed. */
export const COMPLETE = '__complete';
