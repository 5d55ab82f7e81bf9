import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { RawContact } from '../../contacts/contact';
import { decodeCsvFile, readCsv } from '../../contacts/csv';
import { namesAndValues } from '../../fields';
import type { ItemParameters } from '../itemParameters';

const shownFor = (...sources: string[]) => ({ show: { contactsSource: sources } });

/** The fields that say where the contacts of a campaign come from. */
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
    description: 'Where the people to call come from',
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
    description: 'What else the agent should know about each contact',
    displayOptions: shownFor('inputItems'),
    options: [
      {
        displayName: 'Customer Name',
        name: 'customerName',
        type: 'string',
        default: '',
        placeholder: 'e.g. {{ $json.name }}',
      },
      namesAndValues('More Fields', 'moreFields', {
        displayName: 'Field',
        name: 'field',
        hint: 'e.g. delivery_date',
        description: 'Further facts that the script uses, by name',
      }),
      {
        displayName: 'Order Notes',
        name: 'orderNotes',
        type: 'string',
        default: '',
        placeholder: 'e.g. {{ $json.notes }}',
      },
      {
        displayName: 'Order Number',
        name: 'orderNumber',
        type: 'string',
        default: '',
        placeholder: 'e.g. {{ $json.orderNumber }}',
      },
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

/** Contacts as they came. */
export interface RawContacts {
  rows: RawContact[];
  /** The key of the phone number, when the source is CSV. */
  phoneColumn?: string;
}

/** The contact that one input item stands for. */
function contactOfItem(parameters: ItemParameters): RawContact {
  const raw: RawContact = { customerPhone: parameters.value('contactPhone') };
  for (const [name, value] of parameters.pairs('contactFields.moreFields.field', 'More Fields')) {
    raw[name] = value;
  }
  for (const name of ['customerName', 'orderNumber', 'orderNotes']) {
    const value = parameters.text(`contactFields.${name}`);
    if (value !== undefined) raw[name] = value;
  }
  return raw;
}

function contactsOfJson(parameters: ItemParameters): RawContact[] {
  const refuse = (message: string) => {
    parameters.refuse(
      'Contacts',
      message,
      'Enter a list like [{"customerPhone": "+12025550123", "customerName": "Nathan"}].',
    );
    return [];
  };
  const value = parameters.value('contactsJson');
  let list = value;
  if (typeof value === 'string') {
    if (value.trim() === '') return refuse('is empty');
    try {
      list = JSON.parse(value);
    } catch (error) {
      return refuse(`is not valid JSON: ${error instanceof Error ? error.message : ''}`);
    }
  }
  if (!Array.isArray(list)) return refuse('is not a list');
  const misfit = list.findIndex(
    (entry) => typeof entry !== 'object' || entry === null || Array.isArray(entry),
  );
  return misfit === -1 ? (list as IDataObject[]) : refuse(`has no contact in row ${misfit + 1}`);
}

function contactsOfCsv(parameters: ItemParameters, text: string): RawContacts {
  const phoneColumn = parameters.text('phoneColumn')?.trim() ?? 'phone_number';
  const reading = readCsv(text);
  if ('objection' in reading) {
    parameters.refuse('CSV', `cannot be used. ${reading.objection}`);
    return { rows: [], phoneColumn };
  }
  if (!reading.columns.includes(phoneColumn)) {
    parameters.refuse(
      'Phone Column',
      `names no column of the CSV: "${phoneColumn}"`,
      `The columns are ${reading.columns.join(', ')}.`,
    );
    return { rows: [], phoneColumn };
  }
  return { rows: reading.rows, phoneColumn };
}

/** Reads the contacts from the source that was chosen; mistakes are noted in `parameters`. */
export async function readContacts(
  context: IExecuteFunctions,
  parameters: ItemParameters,
): Promise<RawContacts> {
  switch (parameters.text('contactsSource')) {
    case 'json':
      return { rows: contactsOfJson(parameters) };
    case 'csvText':
      return contactsOfCsv(parameters, parameters.text('csvText') ?? '');
    case 'csvFile': {
      const name = parameters.text('binaryPropertyName') ?? 'data';
      const { itemIndex } = parameters;
      if (context.getInputData()[itemIndex]?.binary?.[name] === undefined) {
        parameters.refuse(
          'Input Binary Field',
          `names no file of the item: "${name}"`,
          'Place a node before this one that reads or downloads the file.',
        );
        return { rows: [] };
      }
      const bytes = await context.helpers.getBinaryDataBuffer(itemIndex, name);
      return contactsOfCsv(parameters, decodeCsvFile(bytes));
    }
    default: {
      const rows = context.getInputData().map((_, itemIndex) => {
        const item = parameters.ofItem(itemIndex);
        const row = contactOfItem(item);
        parameters.mistakes.push(...item.mistakes);
        return row;
      });
      return { rows };
    }
  }
}
