import type { Research } from '../../../api/research.ts';
import { oneLine } from '../../../../domain/text/clean.ts';
import { Panel } from '../../parts/panel.tsx';
import { ForeignText } from '../../parts/text.tsx';

/** What comes next, in sentences. */
export function Next({ research: { next } }: { research: Research }) {
  return (
    <Panel title="Next">
      {next.length === 0 ? (
        <p className="quiet small">Nothing is planned.</p>
      ) : (
        <ol className="next">
          {next.map((sentence) => (
            <li key={sentence} title={sentence.length > 120 ? oneLine(sentence) : undefined}>
              <ForeignText text={sentence} line />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
