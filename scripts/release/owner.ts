/** What `package.json` says of who publishes. */
export interface Owner {
  homepage: string;
  author: { name: string; email: string };
  repository: { url: string };
}

/** The owner that `package.json` names until somebody takes the project over. */
const PLACEHOLDER = { repository: '/outbound-ai-calling/', email: '.example' };

/**
 * What of the owner has still to be set, by the names of its fields in `package.json`.
 *
 * n8n accepts a package only when npm can show from which repository it was built.
 */
export function placeholdersOf({ homepage, author, repository }: Owner): string[] {
  return [
    ...(author.email.endsWith(PLACEHOLDER.email) ? ['author'] : []),
    ...(homepage.includes(PLACEHOLDER.repository) ? ['homepage'] : []),
    ...(repository.url.includes(PLACEHOLDER.repository) ? ['repository'] : []),
  ];
}
