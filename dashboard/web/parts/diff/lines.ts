/** A line of a diff with its place in both files; `note`: a remark on the line before, such as that no newline ends it. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'note';
  text: string;
  oldNo: number | null;
  newNo: number | null;
}

export interface Hunk {
  oldStart: number;
  newStart: number;
  /** Each with its mark: ' ', '+' or '-'. */
  lines: readonly string[];
}

/** The lines of a hunk, without their marks. */
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
