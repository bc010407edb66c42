import { fileDefect } from '#src/imports/readers/file-defect.ts';

export interface QifField {
  /** What the letter before it says: D date, T amount, P payee… */
  code: string;
  text: string;
  line: number;
}

export interface QifHandler {
  /** `!Type:Bank`, `!Account`, `!Option:AutoSwitch`, without the mark. */
  directive: (text: string, line: number) => void;
  /** `isWhole`: it ended with ^. */
  record: (fields: QifField[], isWhole: boolean) => void;
}

const LONGEST_LINE = 64 * 1024;
const LARGEST_RECORD = 256 * 1024;

/** Cuts QIF text, with \n line ends and in pieces, into records; it holds one record at most. */
export class QifParser {
  readonly #label: string;
  readonly #handler: QifHandler;
  #rest = '';
  #line = 0;
  #fields: QifField[] = [];
  /** Of the record in hand, in characters. */
  #size = 0;

  constructor(label: string, handler: QifHandler) {
    this.#label = label;
    this.#handler = handler;
  }

  write(piece: string): void {
    const text = this.#rest + piece;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#takeLine(text.slice(start, end));
      start = end + 1;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > LONGEST_LINE) throw this.#tooLong('line', this.#line + 1);
  }

  end(): void {
    if (this.#rest !== '') this.#takeLine(this.#rest);
    this.#rest = '';
    this.#finishRecord(false);
  }

  #takeLine(written: string): void {
    this.#line += 1;
    if (written.length > LONGEST_LINE) throw this.#tooLong('line', this.#line);
    const text = written.trim();
    const code = text.charAt(0);
    if (code === '^') this.#finishRecord(true);
    else if (code === '!') {
      this.#finishRecord(false);
      this.#handler.directive(text.slice(1), this.#line);
    } else if (code !== '') this.#takeField({ code, text: text.slice(1).trim(), line: this.#line });
  }

  #takeField(field: QifField): void {
    this.#fields.push(field);
    // A short line costs more than its characters.
    this.#size += field.text.length + 10;
    if (this.#size > LARGEST_RECORD) throw this.#tooLong('record', this.#fields[0]?.line ?? this.#line);
  }

  #finishRecord(isWhole: boolean): void {
    const fields = this.#fields;
    if (fields.length === 0) return;
    this.#fields = [];
    this.#size = 0;
    this.#handler.record(fields, isWhole);
  }

  #tooLong(what: 'line' | 'record', line: number): Error {
    const most = what === 'line' ? LONGEST_LINE : LARGEST_RECORD;
    const hint = 'The file is damaged; export it again.';
    return fileDefect(this.#label, line, `a ${what} of more than ${most} characters begins here`, hint);
  }
}
