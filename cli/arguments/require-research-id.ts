import { INSTALLATION_ID } from '../../domain/messages/names.ts';
import { refused } from '../errors.ts';

/** The id of a research; throws if it cannot be one. */
export function requireResearchId(id: string): string {
  if (id === INSTALLATION_ID) throw refused(`Expected another id than ${id}, which a workflow of Perpetua's own has.`);
  // A trial's id is `<id>/<n>`, so an id that ends like one would name another research's trial.
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/.test(id) || /\/\d*$/.test(id) || id.includes('//'))
    throw refused(
      'Expected an id of letters, digits, dot, dash, underscore and slash (at most 200, not ending in /number), ' +
        `got ${JSON.stringify(id)}.`,
    );
  return id;
}
