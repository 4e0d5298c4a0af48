/**
 * A line of a diff with its number in either file; null: not in that file. `note`: a remark of the diff on the previous
 * line, such as a missing newline at the end of the file.
 */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'note';
  text: string;
  oldNo: number | null;
  newNo: number | null;
}

export interface Hunk {
  oldStart: number;
  newStart: number;
  /** Lines, each after its marker: ' ', '+', '-' or '\'. */
  lines: readonly string[];
}

/** The lines of a hunk, without their markers. */
export function linesOf({ oldStart, newStart, lines }: Hunk): DiffLine[] {
  let [oldNo, newNo] = [oldStart, newStart];
  return lines.map((line) => {
    const text = line.slice(1);
    switch (line[0]) {
      case '-':
        return { kind: 'removed', text, oldNo: oldNo++, newNo: null };
      case '+':
        return { kind: 'added', text, oldNo: null, newNo: newNo++ };
      case '\\':
        return { kind: 'note', text: text.trim(), oldNo: null, newNo: null };
      default:
        return { kind: 'same', text, oldNo: oldNo++, newNo: newNo++ };
    }
  });
}
