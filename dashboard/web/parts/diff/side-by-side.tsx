import { Code, MARKS } from './code.tsx';
import type { ReadHunk } from './read-hunk.ts';

/** A hunk with the old lines on the left and the new ones on the right; its first `shown` rows. */
export function SideBySide({ hunk, shown }: { hunk: ReadHunk; shown: number }) {
  return hunk.rows.slice(0, shown).map(({ left, right }, index) => (
    <tr key={index}>
      <Side hunk={hunk} place={left} side="oldNo" />
      <Side hunk={hunk} place={right} side="newNo" />
    </tr>
  ));
}

function Side({
  hunk: { lines, parts },
  place,
  side,
}: {
  hunk: ReadHunk;
  place: number | null;
  side: 'oldNo' | 'newNo';
}) {
  const line = place === null ? undefined : lines[place];
  if (!line || place === null)
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
        <Code line={line} parts={parts.get(place)} />
      </td>
    </>
  );
}
