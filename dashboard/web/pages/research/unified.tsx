import { ForeignText } from '../../parts/text.tsx';

const KINDS = { '+': 'added', '-': 'removed', '@': 'hunk' } as const;

/** A unified diff, its lines coloured; their marks tell them apart, too. */
export function Unified({ diff, label }: { diff: string; label: string }) {
  const lines = linesOf(diff);
  return (
    <div className="unified" tabIndex={0} role="region" aria-label={label}>
      <pre>
        {lines.map(({ text, kind }, index) => (
          <span key={index} data-kind={kind}>
            <ForeignText text={text === '' ? ' ' : text} max={2000} />
          </span>
        ))}
      </pre>
    </div>
  );
}

/** Lines with their kinds; the two that name a file are one. */
function linesOf(diff: string): { text: string; kind: string }[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  return lines.flatMap((line, index) => {
    if (line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ')) return [];
    if (line.startsWith('+++ ') && lines[index - 1]?.startsWith('--- '))
      return [{ text: fileOf(line, lines[index - 1] ?? ''), kind: 'file' }];
    return [{ text: line, kind: KINDS[line[0] as keyof typeof KINDS] ?? 'same' }];
  });
}

/** The name of a file from the lines of its new and old one. */
function fileOf(after: string, before: string): string {
  const [now, then] = [after.slice(4), before.slice(4)].map((name) => name.replace(/^[ab]\//, '').replace(/\t.*$/, ''));
  if (now === '/dev/null') return `${then}, removed`;
  return then === '/dev/null' ? `${now}, new` : `${now}`;
}
