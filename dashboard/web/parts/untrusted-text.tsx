import { visiblePieces } from '../../../domain/text/visible.ts';
import { formatInteger } from './numbers.ts';

/**
 * Limit of pieces with elements of their own. Further hidden characters become visible without a mark, so that a
 * hostile text cannot create a million elements.
 */
const MARKED = 200;

interface Props {
  text: string;
  /** True: shows the text on one line, with spaces for line breaks. */
  line?: boolean;
  /** Limit of characters; the rest is counted. */
  max?: number;
}

/**
 * Text from a model, a candidate or a run, never parsed as HTML. Hidden characters and those that change the direction
 * of writing are replaced by their names.
 */
export function UntrustedText({ text, line = false, max = 20_000 }: Props) {
  const normalized = line ? text.replace(/\s+/g, ' ').trim() : text;
  const cut = normalized.length > max ? normalized.slice(0, max) : normalized;
  const pieces = visiblePieces(cut);
  const marked = pieces.slice(0, MARKED);
  const rest = pieces.slice(MARKED);
  return (
    <bdi className="foreign" dir="ltr">
      {marked.map((piece, index) =>
        piece.hidden ? (
          <span key={index} className="hidden-character" title="an invisible character">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
      {rest.map((piece) => piece.text).join('')}
      {cut.length < normalized.length ? (
        <span className="quiet"> … {formatInteger(normalized.length - cut.length)} more characters</span>
      ) : null}
    </bdi>
  );
}
