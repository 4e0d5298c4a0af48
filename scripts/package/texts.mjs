// Commands in messages and documents are those of a clone. An installation has no npm scripts, and needs no npx.

/** Phrases of a clone, and those of an installation, in the order of their replacement. */
const IN_DOCUMENTS = [
  // A sentence about a clone stays as it is.
  [/(?<!In a clone, (the command is )?`)npm start( --(?= -))?/g, 'perpetua up'],
  [/(?<!In a clone, (the command is )?`)npx perpetua/g, 'perpetua'],
];
const IN_MESSAGES = [
  [/ ?\(or (\\?`)?npm start(\\?`)?\)/g, ''],
  [/(Build it: )?npm run build/g, 'Install Perpetua again'],
  ...IN_DOCUMENTS,
];

/** Returns a program or a document of the clone with the commands of an installation. */
export const forInstallation = (path, text) =>
  (path.endsWith('.md') ? IN_DOCUMENTS : IN_MESSAGES).reduce(
    (changed, [phrase, installed]) => changed.replaceAll(phrase, installed),
    text,
  );
