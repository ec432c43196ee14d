interface Person {
  name: string;
  email: string;
  image: string | null;
}

/** Who is signed in, in the header of every account page. */
export function SignedInAs({ person }: { person: Person }) {
  return (
    <p className="signed-in-as">
      <Photo {...person} />
      <span className="sr-only">Signed in as </span>
      <strong>{person.name || person.email}</strong>
    </p>
  );
}

/** A person's photo; without one, or until it has loaded, the first letter of their name. */
function Photo({ name, email, image }: Person) {
  const [letter = ""] = name || email;
  return (
    <span className="photo">
      <span aria-hidden="true">{letter.toUpperCase()}</span>
      {image && <img src={image} alt="" referrerPolicy="no-referrer" />}
    </span>
  );
}
