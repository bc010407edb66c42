import type { Html } from '#src/http/html.ts';
import { inputField, selectField } from '#src/http/web/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';

/** More of them make a list nobody can choose from, and a page that is mostly list. */
const LONGEST_LIST = 100;

interface FamilyField {
  families: readonly { id: string; name: string }[];
  value: string | undefined;
  /** What stands for no family; undefined where there must be one. */
  any?: string | undefined;
  problems?: readonly Problem[] | undefined;
}

/** The choice of a family by name, or by id where there are too many. */
export function familyField({ families, value, any, problems }: FamilyField): Html {
  if (families.length > LONGEST_LIST) {
    const hint = 'Its id, as the address shows it after a click on its name in the list of users.';
    return inputField({
      name: 'family',
      label: 'Family',
      value,
      hint,
      required: any === undefined,
      problems,
    });
  }
  const options = families.map(({ id, name }) => ({ value: id, text: name }));
  const all = any === undefined ? options : [{ value: '', text: any }, ...options];
  return selectField({ name: 'family', label: 'Family', options: all, value });
}
