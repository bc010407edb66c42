/** Something that was found out about an archive. */
export interface Finding {
  code:
    | 'gap'
    | 'chain_broken'
    | 'record_changed'
    | 'not_in_chain'
    | 'manifest_missing'
    | 'manifest_changed'
    | 'checksum_missing'
    | 'checksum_changed'
    | 'file_missing'
    | 'file_changed'
    | 'content_wrong'
    | 'not_readable'
    | 'of_another_database'
    | 'being_pruned'
    | 'not_on_record';
  message: string;
  /** Undefined when it is about no day in particular. */
  day: string | undefined;
  isProblem: boolean;
}

export interface Findings {
  problems: Finding[];
  /** What is in order, but somebody may want to know. */
  notes: Finding[];
}

export function wrong(code: Finding['code'], message: string, day: string | undefined): Finding {
  return { code, message: sentence(message, day), day, isProblem: true };
}

export function note(code: Finding['code'], message: string, day: string | undefined): Finding {
  return { code, message: sentence(message, day), day, isProblem: false };
}

function sentence(message: string, day: string | undefined): string {
  return day === undefined || message.includes(day) ? message : `${day}: ${message}`;
}
