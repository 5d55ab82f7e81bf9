import {
  NodeOperationError,
  type IBinaryData,
  type IExecuteFunctions,
  type INodeProperties,
} from 'n8n-workflow';
import {
  readRows,
  usesOf,
  type ContactFields,
  type FieldUse,
  type RawContact,
} from '../../contacts/contact';
import { inSlices } from '../../eventLoopSlices';
import { tellHint } from '../../hints';
import { decodeCsvFile, readCsv, type CsvRows, type DecodedCsv } from '../../contacts/csv';
import { readJsonList } from '../../contacts/jsonList';
import { numbersIn } from '../../contacts/numbersIn';
import { alike } from '../../alike';
import { namesAndValues } from '../../fields';
import { isRecord } from '../../http/json';
import { quoted, textOrJson } from '../../values';
import type { ItemParameters } from '../itemParameters';
import { namedColumns, tellColumns } from './columnsHint';

const shownFor = (...sources: string[]) => ({ show: { contactsSource: sources } });

function textOfContact(displayName: string, name: string, placeholder: string): INodeProperties {
  return { displayName, name, type: 'string', default: '', placeholder };
}

export const contactsFields: INodeProperties[] = [
  {
    displayName: 'Contacts Source',
    name: 'contactsSource',
    type: 'options',
    noDataExpression: true,
    default: 'inputItems',
    options: [
      {
        name: 'CSV File',
        value: 'csvFile',
        description: 'A CSV file that an earlier node read or downloaded',
      },
      { name: 'CSV Text', value: 'csvText', description: 'CSV pasted or built by an expression' },
      {
        name: 'Input Items',
        value: 'inputItems',
        description: 'All input items together are the contacts of one campaign',
      },
      { name: 'JSON', value: 'json', description: 'A JSON list of contacts' },
    ],
    description:
      'Where the people to call come from. Input items that give the same list make one campaign together; items with different lists make one campaign each, and may not name the same person for the same order.',
  },
  {
    displayName: 'Contact Phone',
    name: 'contactPhone',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. {{ $json.phone }}',
    description: 'The phone number of each item, with its country code',
    displayOptions: shownFor('inputItems'),
  },
  {
    displayName: 'Contact Fields',
    name: 'contactFields',
    type: 'collection',
    placeholder: 'Add contact field',
    default: {},
    description: 'Further details about each contact for the agent',
    displayOptions: shownFor('inputItems'),
    options: [
      textOfContact('Customer Name', 'customerName', 'e.g. {{ $json.name }}'),
      namesAndValues('More Fields', 'moreFields', {
        displayName: 'Field',
        name: 'field',
        hint: 'e.g. delivery_date',
        description: 'Other facts that the script uses, by name',
      }),
      textOfContact('Order Notes', 'orderNotes', 'e.g. {{ $json.notes }}'),
      textOfContact('Order Number', 'orderNumber', 'e.g. {{ $json.orderNumber }}'),
    ],
  },
  {
    displayName: 'Contacts',
    name: 'contactsJson',
    type: 'json',
    default: '[\n  {\n    "customerPhone": "+12025550123",\n    "customerName": "Nathan"\n  }\n]',
    required: true,
    description: 'A list of contacts, each with at least customerPhone',
    displayOptions: shownFor('json'),
  },
  {
    displayName: 'CSV Text',
    name: 'csvText',
    type: 'string',
    typeOptions: { rows: 5 },
    default: '',
    required: true,
    placeholder: 'phone_number,customerName\n+12025550123,Nathan',
    description: 'CSV with a header row, one contact a row',
    displayOptions: shownFor('csvText'),
  },
  {
    displayName: 'Input Binary Field',
    name: 'binaryPropertyName',
    type: 'string',
    default: 'data',
    required: true,
    placeholder: 'e.g. data',
    hint: 'The name of the input field that holds the CSV file',
    displayOptions: shownFor('csvFile'),
  },
  {
    displayName: 'Phone Column',
    name: 'phoneColumn',
    type: 'string',
    default: 'phone_number',
    required: true,
    placeholder: 'e.g. phone_number',
    description: 'The column of the CSV that holds the phone numbers',
    displayOptions: shownFor('csvText', 'csvFile'),
  },
];

function* contactsOfItems(parameters: ItemParameters): Generator<ContactFields> {
  for (const itemIndex of parameters.context.getInputData().keys()) {
    const item = parameters.ofItem(itemIndex);
    const contact = {
      phone: item.value('contactPhone'),
      customerName: item.value('contactFields.customerName'),
      orderNumber: item.value('contactFields.orderNumber'),
      orderNotes: item.value('contactFields.orderNotes'),
      more: item.pairs('contactFields.moreFields.field', 'More Fields'),
    };
    parameters.mistakes.push(...item.mistakes);
    yield contact;
  }
}

/** What each key is used for: one may mean something else where a row has another key, too. */
async function usesInRows(rows: RawContact[]): Promise<Map<string, Set<FieldUse>>> {
  const usesByKey = new Map<string, Set<FieldUse>>();
  await inSlices(rows, (row) => {
    const keys = Object.keys(row);
    const uses = usesOf(keys);
    keys.forEach((key, index) => {
      const existing = usesByKey.get(key) ?? new Set();
      for (const use of uses[index] ?? []) existing.add(use);
      usesByKey.set(key, existing);
    });
  });
  return usesByKey;
}

const LIST_WANTED =
  'Enter a list like [{"customerPhone": "+12025550123", "customerName": "Nathan"}].';

async function contactsOfJson(parameters: ItemParameters): Promise<Iterable<ContactFields>> {
  const refuse = (message: string, advice = LIST_WANTED) => {
    parameters.refuse('Contacts', message, advice);
    return [];
  };
  const value = parameters.value('contactsJson');
  const reading = typeof value === 'string' ? await readJsonList(value) : { list: value };
  if ('objection' in reading) return refuse(reading.objection);
  if (!Array.isArray(reading.list)) return refuse('is not a list');
  const { list } = reading;
  if (!list.every(isRecord)) {
    const misfit = list.findIndex((entry) => !isRecord(entry));
    return refuse(`has no contact in row ${misfit + 1}`);
  }
  const usesByKey = await usesInRows(list);
  const uses = [...usesByKey.values()].flatMap((some) => [...some]);
  if (usesByKey.size > 0 && !uses.includes('phone')) {
    return refuse(
      'has no contact with the key customerPhone, phoneNumber or phone',
      `The keys are ${namedColumns([...usesByKey.keys()])}. Rename the one with the phone numbers to customerPhone.`,
    );
  }
  if (uses.includes('more') || uses.includes('ignored')) {
    tellColumns(parameters.context, 'Keys of the contacts', usesByKey);
  }
  return readRows(list);
}

function* readableRows(rows: CsvRows, refuse: (objection: string) => void): Generator<RawContact> {
  const objection = yield* rows;
  if (objection !== undefined) refuse(objection);
}

const NO_HEADER =
  'The first row looks like a contact, not like column names. Add a row with names above it';

function contactsOfCsv(
  parameters: ItemParameters,
  csv: string | DecodedCsv,
): Iterable<ContactFields> {
  const given = parameters.required('phoneColumn', 'Phone Column');
  if (given === undefined) return [];
  const wanted = textOrJson(given);
  const refuse = (objection: string) => {
    parameters.refuse('CSV', `cannot be used. ${objection}`);
    return [];
  };
  const reading = readCsv(csv);
  if ('objection' in reading) return refuse(reading.objection);
  const { columns, rows } = reading;
  const phoneColumn = columns.find((column) => alike(column) === alike(wanted));
  if (phoneColumn !== undefined) {
    const { people, digits } = numbersIn(phoneColumn);
    if (people.length + digits.length > 0) return refuse(NO_HEADER);
    const uses = usesOf(columns, phoneColumn);
    const usesByColumn = new Map(columns.map((column, index) => [column, new Set(uses[index])]));
    tellColumns(parameters.context, 'Columns of the CSV', usesByColumn);
    return readRows(readableRows(rows, refuse), phoneColumn);
  }
  const message = `names no column of the CSV: "${wanted.trim()}"`;
  parameters.refuse('Phone Column', message, `The columns are ${columns.join(', ')}.`);
  return [];
}

/** The name of a binary field of the item, or the file itself when an expression gives it. */
function binaryFieldOf(value: unknown): string | IBinaryData {
  if (typeof value === 'object' && value !== null) return value as IBinaryData;
  return String(value).trim();
}

function filesOf(context: IExecuteFunctions, itemIndex: number): Record<string, IBinaryData> {
  return context.getInputData()[itemIndex]?.binary ?? {};
}

/** The file that Input Binary Field means, as {@link fileOf}. */
function fileMeant(context: IExecuteFunctions, itemIndex: number, field: unknown) {
  const named = binaryFieldOf(field);
  const files = Object.keys(filesOf(context, itemIndex));
  const file = typeof named === 'string' && files.length === 1 ? (files[0] ?? named) : named;
  try {
    return { file, data: context.helpers.assertBinaryData(itemIndex, file) };
  } catch {
    return undefined;
  }
}

/**
 * The content of an item's file.
 *
 * @param field Input Binary Field, as its expression gives it
 * @returns undefined when it names no file of the item, unless the item has exactly one file
 */
export async function fileOf(
  context: IExecuteFunctions,
  itemIndex: number,
  field: unknown,
): Promise<Buffer | undefined> {
  const meant = fileMeant(context, itemIndex, field);
  return meant && (await context.helpers.getBinaryDataBuffer(itemIndex, meant.file));
}

function isCsv({ mimeType, fileExtension, fileName }: IBinaryData): boolean {
  const ending = fileExtension ?? fileName ?? '';
  return mimeType === 'text/csv' || /(?:^|\.)csv$/i.test(ending);
}

/** Warns of the other CSV files of an item, such as a form gives: nobody in them is called. */
function tellUnreadFiles(context: IExecuteFunctions, itemIndex: number, field: unknown): void {
  const read = fileMeant(context, itemIndex, field)?.data;
  const unread = Object.entries(filesOf(context, itemIndex)).filter(
    ([, file]) => isCsv(file) && (file.id !== read?.id || file.data !== read?.data),
  );
  if (unread.length === 0) return;
  const names = quoted(unread.map(([name]) => name));
  const files =
    unread.length === 1
      ? '1 other CSV file, which is not read'
      : `${unread.length} other CSV files, which are not read`;
  const advice =
    'A campaign reads one file: put a Split Out node with the field $binary before this one, and each file makes a campaign.';
  tellHint(context, `The item has ${files}: ${names}. ${advice}`, 'warning');
}

const GUESSED_ENCODING =
  'The CSV file is not in UTF-8: it was read as Windows-1252. Look whether letters with accents are right. If not, save the file as CSV UTF-8.';

async function contactsOfFile(parameters: ItemParameters): Promise<Iterable<ContactFields>> {
  const { context, itemIndex } = parameters;
  const field = parameters.required('binaryPropertyName', 'Input Binary Field');
  if (field === undefined) return [];
  const bytes = await fileOf(context, itemIndex, field);
  if (bytes !== undefined) {
    const csv = await decodeCsvFile(bytes);
    if (csv.isGuessed) tellHint(context, GUESSED_ENCODING, 'warning');
    tellUnreadFiles(context, itemIndex, field);
    return contactsOfCsv(parameters, csv);
  }
  const name = binaryFieldOf(field);
  const files = Object.keys(filesOf(context, itemIndex));
  parameters.refuse(
    'Input Binary Field',
    `names no file of the item: "${typeof name === 'string' ? name : 'an object'}"`,
    files.length === 0
      ? 'The item has no files. Place a node before this one that reads or downloads the file.'
      : `The files of the item are ${quoted(files)}: enter one of these names. A campaign reads one file.`,
  );
  return [];
}

const SOURCES = ['csvFile', 'csvText', 'inputItems', 'json'] as const;

/**
 * Where the contacts come from, for all items alike.
 *
 * @throws NodeOperationError for an unknown source: read as input items, each item would load all
 * contacts
 */
export function contactsSourceOf(context: IExecuteFunctions): (typeof SOURCES)[number] {
  const given = context.getNodeParameter('contactsSource', 0);
  const source = SOURCES.find((one) => one === given);
  if (source !== undefined) return source;
  throw new NodeOperationError(context.getNode(), '"Contacts Source" has an unknown value', {
    description: `Nothing was sent. Choose one from the list; in the JSON of a workflow it is one of ${SOURCES.join(', ')}.`,
  });
}

/** Reads the contacts, each on demand. Mistakes go into `parameters`, also while they are read. */
export async function readContacts(parameters: ItemParameters): Promise<Iterable<ContactFields>> {
  switch (contactsSourceOf(parameters.context)) {
    case 'json':
      return await contactsOfJson(parameters);
    case 'csvText':
      return contactsOfCsv(parameters, parameters.text('csvText') ?? '');
    case 'csvFile':
      return await contactsOfFile(parameters);
    case 'inputItems':
      return contactsOfItems(parameters);
  }
}
