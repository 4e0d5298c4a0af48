import { Code, MARKS } from './code.tsx';
import type { PreparedHunk } from './prepare-hunk.ts';

/** The first `shown` rows of a hunk: old lines on the left, new lines on the right. */
export function SideBySide({ hunk, shown }: { hunk: PreparedHunk; shown: number }) {
  return hunk.rows.slice(0, shown).map(({ left, right }, row) => (
    <tr key={row}>
      <Side hunk={hunk} index={left} side="oldNo" />
      <Side hunk={hunk} index={right} side="newNo" />
    </tr>
  ));
}

function Side({
  hunk: { lines, parts },
  index,
  side,
}: {
  hunk: PreparedHunk;
  index: number | null;
  side: 'oldNo' | 'newNo';
}) {
  const line = index === null ? undefined : lines[index];
  if (!line || index === null)
    return (
      <>
        <td className="line-no absent" />
        <td className="mark absent" />
        <td className="code absent" />
      </>
    );
  return (
    <>
      <td className={`line-no ${line.kind}`} data-n={line[side] ?? ''} />
      <td className={`mark ${line.kind}`}>{MARKS[line.kind]}</td>
      <td className={`code ${line.kind}`}>
        <Code line={line} parts={parts.get(index)} />
      </td>
    </>
  );
}
