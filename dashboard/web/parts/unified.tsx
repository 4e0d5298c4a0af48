import { ForeignText } from './text.tsx';

const KINDS = { '+': 'added', '-': 'removed', '@': 'hunk' } as const;

/** A unified diff, its lines coloured; their marks tell them apart, too. */
export function Unified({ diff, label }: { diff: string; label: string }) {
  const lines = diff.replace(/\n$/, '').split('\n');
  return (
    <div className="unified" tabIndex={0} role="region" aria-label={label}>
      <pre>
        {lines.map((line, index) => (
          <span key={index} data-kind={kindOf(line)}>
            <ForeignText text={line === '' ? ' ' : line} max={2000} />
          </span>
        ))}
      </pre>
    </div>
  );
}

const kindOf = (line: string): string =>
  /^(---|\+\+\+) /.test(line) ? 'file' : (KINDS[line[0] as keyof typeof KINDS] ?? 'same');
