import { Code, MARKS } from './code.tsx';
import type { ReadHunk } from './read-hunk.ts';

/** A hunk with what went above what came; its first `shown` lines. */
export function Unified({ hunk: { lines, parts }, shown }: { hunk: ReadHunk; shown: number }) {
  return lines.slice(0, shown).map((line, place) => (
    <tr key={place} className={line.kind}>
      <td className="line-no" data-n={line.oldNo ?? ''} />
      <td className="line-no" data-n={line.newNo ?? ''} />
      <td className="mark">{MARKS[line.kind]}</td>
      <td className="code">
        <Code line={line} parts={parts.get(place)} />
      </td>
    </tr>
  ));
}
