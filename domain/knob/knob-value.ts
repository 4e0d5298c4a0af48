export type KnobValue = string | number | boolean;

/** Values of the knobs in a candidate's files, by `knobKey`. */
export type KnobValues = Readonly<Record<string, KnobValue>>;

/**
 * The key of a knob among a candidate's values. It includes the file, since two files may have knobs of the same name.
 */
export const knobKey = ({ file, name }: { file: string; name: string }): string => `${file}:${name}`;

/** An assignment of a literal in a source: `const NAME = 0.1`, `NAME = 0.1`, `NAME: 0.1`, `"NAME": 0.1`. */
export interface Assignment {
  /** Offsets of the literal in the source. */
  start: number;
  end: number;
  /** The literal as it is written. */
  raw: string;
  /** Undefined if the right-hand side is not a literal, such as an expression. */
  value: KnobValue | undefined;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
const KEYWORDS = '(?:(?:export|const|let|var|final|static|public|private|readonly) +)*';
// After the name: `=`, `:=`, `:`, or a type between `:` and `=`; never a comparison or an arrow.
const ASSIGN = '[ \\t]*(?::[ \\t]*[A-Za-z_][\\w.<>|\\[\\] ]{0,60}?=|:=|=|:)(?![=>])[ \\t]*';
const LITERAL = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,;#"'()[\]{}]+)/;
const REST = /^[ \t]*(?:[,;][ \t]*)?(?:#.*|\/\/.*|\/\*.*)?$/;

/** Every assignment to `name` that begins a line of `source`. */
export function findAssignments(source: string, name: string): Assignment[] {
  const head = new RegExp(`^\\ufeff?[ \\t]*${KEYWORDS}(["']?)${escaped(name)}\\1${ASSIGN}`);
  let offset = 0;
  return source.split('\n').flatMap((line) => {
    const start = offset;
    offset += line.length + 1;
    const prefix = head.exec(line)?.[0];
    if (prefix === undefined) return [];
    const rest = line.slice(prefix.length).trimEnd();
    const raw = LITERAL.exec(rest)?.[0] ?? '';
    const value = REST.test(rest.slice(raw.length)) ? parseLiteral(raw) : undefined;
    return [{ start: start + prefix.length, end: start + prefix.length + raw.length, raw, value }];
  });
}

function parseLiteral(raw: string): KnobValue | undefined {
  if (raw === '') return undefined;
  if (/^["']/.test(raw)) return raw.slice(1, -1).replace(/\\(.)/g, '$1');
  if (/^(?:true|True)$/.test(raw)) return true;
  if (/^(?:false|False)$/.test(raw)) return false;
  const digits = raw.replace(/(\d)_(?=\d)/g, '$1');
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(digits)) return Number(digits);
  return /^[A-Za-z_][\w.-]*$/.test(raw) ? raw : undefined;
}

/**
 * A value as the literal that replaces `old`, in the style of `old`. With `float` a number always has a decimal point.
 */
export function literalOf(value: KnobValue, old: string, float: boolean): string {
  if (typeof value === 'boolean') {
    const text = String(value);
    return /^[TF]/.test(old) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  }
  if (typeof value === 'number') return float ? floatLiteral(value) : String(value);
  const quote = old.startsWith("'") ? "'" : '"';
  const bare =
    /^[A-Za-z_]/.test(old) && /^[A-Za-z_][\w.-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value);
  return bare ? value : quote + value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;
}

// `1e-7` is text to a YAML 1.1 reader and `1` an integer to TOML; `1.0e-7` and `1.0` are floats everywhere.
function floatLiteral(value: number): string {
  const text = String(value);
  if (text.includes('.')) return text;
  return text.includes('e') ? text.replace('e', '.0e') : `${text}.0`;
}
