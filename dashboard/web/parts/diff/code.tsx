import { UntrustedText } from '../untrusted-text.tsx';
import type { DiffLine } from './lines.ts';
import type { Part } from './diff-words.ts';

/** Limit of characters shown of a line. */
const SHOWN = 1000;

/** The text of a line, with its changed words marked. */
export function Code({ line, parts }: { line: DiffLine; parts: readonly Part[] | undefined }) {
  if (!parts) return <UntrustedText text={line.text} max={SHOWN} />;
  const Word = line.kind === 'added' ? 'ins' : 'del';
  return parts.map(({ text, changed }, index) =>
    changed ? (
      <Word key={index} className="word">
        <UntrustedText text={text} max={SHOWN} />
      </Word>
    ) : (
      <UntrustedText key={index} text={text} max={SHOWN} />
    ),
  );
}

/** Marker of a line, for readers who do not see its colour. */
export const MARKS: Record<DiffLine['kind'], string> = { same: '', removed: '−', added: '+', note: '' };
