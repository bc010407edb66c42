/** The end of a command's help: examples, and where to go on. */
export function examples(commandLines: readonly string[], seeAlso?: string): string {
  const heading = commandLines.length === 1 ? 'Example:' : 'Examples:';
  const list = commandLines.map((line) => `  $ financectl ${line}`).join('\n');
  return `\n${heading}\n${list}${seeAlso ? `\n\nSee also: ${seeAlso}` : ''}`;
}
