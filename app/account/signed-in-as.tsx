interface Person {
  name: string;
  email: string;
  image: string | null;
}

export function SignedInAs({ person }: { person: Person }) {
  return (
    <p className="signed-in-as">
      <Photo {...person} />
      <span className="sr-only">Signed in as </span>
      <strong>
        <bdi>{person.name || person.email}</bdi>
      </strong>
    </p>
  );
}

/** Characters as people see them, such as flags and families. */
const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

export function initialOf(name: string): string {
  const [first] = CHARACTERS.segment(name.trim());
  return first?.segment.toUpperCase() ?? "";
}

function Photo({ name, email, image }: Person) {
  return (
    <span className="photo">
      <span aria-hidden="true">{initialOf(name || email)}</span>
      {image && <img src={image} alt="" referrerPolicy="no-referrer" />}
    </span>
  );
}
