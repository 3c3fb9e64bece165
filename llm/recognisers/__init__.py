"""What in a text makes it need a clearance: identifiers, people, money, health, secrets, marks of confidentiality."""
