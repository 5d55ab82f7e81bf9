/** Scans a folder as n8n's reviewers do: `scan.mjs source|packed <folder>`. Writes the result as JSON. */
import {
  analyzePackage,
  SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

/** What the scanner itself looks at in an archive, whose patterns it does not export. */
const PACKED_FILE_PATTERNS = ['**/*.js', 'package.json'];

const [leg, folder] = process.argv.slice(2);
const patterns = leg === 'source' ? SOURCE_FILE_PATTERNS : PACKED_FILE_PATTERNS;
process.stdout.write(JSON.stringify(await analyzePackage(folder, patterns)));
