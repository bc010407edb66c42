/** Weakest first. */
export const ROLES = ['member', 'admin', 'super_admin'] as const;

export type Role = (typeof ROLES)[number];
