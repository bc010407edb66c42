import { Document, Scalar, visit } from 'yaml';
import { isSafe, safeText } from '#src/kernel/safe-text.ts';

/** YAML with everything unsafe as \uXXXX: the same document to a parser, harmless to a terminal. */
export function safeYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // Only double quotes know escapes.
      if (typeof node.value === 'string' && !isSafe(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return safeText(document.toString({ lineWidth: 0, blockQuote: false })).trimEnd();
}
