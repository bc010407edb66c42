import type { RoleMapping } from '#src/sso/providers/provider.ts';
import { readAttribute } from '#src/sso/roles/read-attribute.ts';
import { ROLES, type Role } from '#src/users/role.ts';

/** One mapping or condition and what came of it, for people who wonder why. */
interface RuleOutcome {
  /** Where the rule stands: `mappings[0]`, `conditions[2]`. */
  rule: string;
  role: Role;
  matched: boolean;
  because: string;
}

/**
 * `matched`: the highest role of all rules that match, and the roles it includes. `no_match`: there are rules, none
 * matches, so the default role applies. `no_rules`: the role is left alone.
 */
export type RoleDecision = { rules: RuleOutcome[] } & (
  | { kind: 'matched'; role: Role; includes: Role[] }
  | { kind: 'no_match' | 'no_rules' }
);

export interface Said {
  /** Null: the provider sent none, which counts as none. */
  groups: readonly string[] | null;
  attributes: Readonly<Record<string, unknown>>;
}

/** Which role an identity provider's answer gives (decisions, section 3: Mapping, Applied). Group names are case-sensitive. */
export function mapRoles(mapping: RoleMapping, said: Said): RoleDecision {
  const held = new Set(said.groups);
  const rules = [
    ...mapping.mappings.map(({ group, role }, index) => ({
      rule: `mappings[${index}]`,
      role,
      matched: held.has(group),
      because: held.has(group) ? `is in group "${group}"` : `is not in group "${group}"`,
    })),
    ...mapping.conditions.map((condition, index) => ({
      rule: `conditions[${index}]`,
      role: condition.role,
      ...judgeCondition(condition, held, said.attributes),
    })),
  ];
  if (rules.length === 0) return { kind: 'no_rules', rules };

  const matched = rules.filter((rule) => rule.matched).map(({ role }) => role);
  const role = ROLES.findLast((candidate) => matched.includes(candidate));
  return role === undefined
    ? { kind: 'no_match', rules }
    : { kind: 'matched', role, includes: includedIn(role, mapping.hierarchy), rules };
}

function judgeCondition(
  { attribute, value, groups }: RoleMapping['conditions'][number],
  held: ReadonlySet<string>,
  attributes: Said['attributes'],
): Pick<RuleOutcome, 'matched' | 'because'> {
  const found = readAttribute(attributes, attribute);
  if (!toTexts(found).includes(value)) {
    const sent = found === undefined ? 'was not sent' : 'has another value';
    return { matched: false, because: `"${attribute}" ${sent}; wanted is "${value}"` };
  }
  if (groups.length === 0) return { matched: true, because: `"${attribute}" is "${value}"` };

  const shared = groups.find((group) => held.has(group));
  return shared === undefined
    ? { matched: false, because: `"${attribute}" is "${value}", but is in none of the groups of the rule` }
    : { matched: true, because: `"${attribute}" is "${value}" and is in group "${shared}"` };
}

/** An attribute with several values equals each of them. */
function toTexts(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
    .map(String);
}

/** All roles below, through any number of steps; strongest first. */
function includedIn(role: Role, hierarchy: RoleMapping['hierarchy']): Role[] {
  const reached = new Set<Role>([role]);
  for (const each of reached) {
    for (const included of hierarchy[each] ?? []) reached.add(included);
  }
  reached.delete(role);
  return ROLES.filter((each) => reached.has(each)).toReversed();
}
